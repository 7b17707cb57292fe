-- What belongs to ended tasks may be deleted before they are.
--
-- Why:      EVENT_RETENTION_MS and RESULT_RETENTION_MS. "pruned" says what of a task has gone, so that the
--           index finds the others by when they ended.
-- Locks:    ACCESS EXCLUSIVE on "tasks" for the new column, for milliseconds, then SHARE, which lets reads
--           pass and holds writes back while the index is built.
-- Duration: about half a minute at ten million rows.
-- Undo:     DROP INDEX "tasks_pruned_finished_at_idx", drop the column "pruned" and delete this migration's row
--           from "_prisma_migrations".

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN "pruned" SMALLINT NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "tasks_pruned_finished_at_idx" ON "tasks"("pruned", "finished_at") WHERE (finished_at IS NOT NULL AND pruned < 3);
