-- What a task has started is read a page at a time, the newest first.
--
-- Why:      a task may call a hundred thousand tools, and a page of them is to cost what a page costs.
-- Locks:    "tasks" against writes for as long as the new index takes. Only calls of tools by tools are in it.
-- Duration: reads "tasks" once: half a minute for ten million rows.
-- Undo:     make the index on "parent_task_id" alone again, and delete this migration's row from "_prisma_migrations".

-- DropIndex
DROP INDEX "tasks_called_idx";

-- CreateIndex
CREATE INDEX "tasks_called_idx" ON "tasks"("parent_task_id", "created_at" DESC, "id" DESC) WHERE (parent_task_id IS NOT NULL AND request_method <> 'longshore/chunk');
