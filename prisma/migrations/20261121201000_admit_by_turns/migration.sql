-- Admission by turns, and limits on what runs at once.
--
-- Why:      the relay gives each principal with waiting tasks its turn, so the backlog is kept by principal, and
--           by the tool within it when that tool has a limit ("lane"). A task carries the limits it runs under.
--           "task_slots" says what runs under which limit: no row for tasks without one.
-- Locks:    ACCESS EXCLUSIVE on "tasks" for the new columns, for milliseconds, then SHARE, which lets reads
--           pass and holds writes back while the two indexes are built: one pass over the table each.
-- Duration: about half a minute at ten million rows, nearly all of which are ended and in neither index.
-- Undo:     drop "task_slots", the indexes "tasks_backlog_idx" and "tasks_admitted_idx" and the four columns,
--           create "tasks_queue_created_at_backlog_idx" as the first migration does, and delete this migration's
--           row from "_prisma_migrations". Limits are forgotten, no task is.

-- AlterTable
ALTER TABLE "tasks"
    ADD COLUMN "lane" TEXT NOT NULL DEFAULT '',
    ADD COLUMN "principal_limit" INTEGER,
    ADD COLUMN "tool_limit" INTEGER,
    ADD COLUMN "queue_limit" INTEGER;

-- CreateTable
CREATE TABLE "task_slots" (
    "key" TEXT NOT NULL,
    "task_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,

    CONSTRAINT "task_slots_pkey" PRIMARY KEY ("key","task_id")
);

-- CreateIndex
CREATE INDEX "task_slots_task_id_idx" ON "task_slots"("task_id");

-- DropIndex
DROP INDEX "tasks_queue_created_at_backlog_idx";

-- CreateIndex
CREATE INDEX "tasks_backlog_idx" ON "tasks"("queue", "principal_id", "lane", "created_at") WHERE (finished_at IS NULL AND enqueued_at IS NULL);

-- CreateIndex
CREATE INDEX "tasks_admitted_idx" ON "tasks"("queue", "principal_id") WHERE (finished_at IS NULL AND enqueued_at IS NOT NULL AND run_after IS NULL);
