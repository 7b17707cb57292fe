-- Batches: what ctx.map stores, and the tasks that tasks start.
--
-- Why:      the items of a map and what came of them outlive any process, any worker takes its chunks, and what
--           a task has started is cancelled with it.
-- Locks:    SHARE on "tasks" while its new index is made, which holds nothing yet: no row has a parent.
-- Duration: one read of "tasks", some seconds at ten million rows, during which nothing is accepted.
-- Undo:     DROP TABLE "batches", "batch_chunks", DROP INDEX "tasks_parent_task_id_open_idx", cancel the open
--           tasks that have a parent, and delete this migration's row from "_prisma_migrations".

-- CreateTable
CREATE TABLE "batches" (
    "id" UUID NOT NULL,
    "task_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "chunks" INTEGER NOT NULL DEFAULT 0,
    "items" INTEGER NOT NULL DEFAULT 0,
    "sealed" BOOLEAN NOT NULL DEFAULT false,
    "stopped" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "batches_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "batch_chunks" (
    "batch_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "task_id" UUID,
    "first_item" INTEGER NOT NULL,
    "size" INTEGER NOT NULL,
    "items" JSON NOT NULL,
    "outcomes" JSON[] DEFAULT ARRAY[]::JSON[],
    "done" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "batch_chunks_pkey" PRIMARY KEY ("batch_id","position")
);

-- CreateIndex
CREATE INDEX "batches_task_id_idx" ON "batches"("task_id");

-- CreateIndex
CREATE INDEX "batches_expires_at_idx" ON "batches"("expires_at");

-- CreateIndex
CREATE INDEX "batch_chunks_batch_id_position_failed_idx" ON "batch_chunks"("batch_id", "position") WHERE (failed > 0);

-- CreateIndex
CREATE INDEX "tasks_parent_task_id_open_idx" ON "tasks"("parent_task_id") WHERE (finished_at IS NULL AND parent_task_id IS NOT NULL);
