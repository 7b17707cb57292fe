-- What operators ask for: counts by minute and hour, looks at the queues, pauses, and workers that are to stop.
--
-- Why:      a page that counts tasks while it is open costs what the tasks cost. One process folds what ended, behind the hot path.
-- Locks:    "workers" exclusively for a moment, and "tasks" against writes for as long as its two new indexes take. Sessions and schedules are few.
-- Duration: reads "tasks" twice: about a minute for ten million rows. Few rows are in the indexes: failed tasks, and calls of tools by tools.
-- Undo:     drop the tables, the column and the four indexes, and delete this migration's row from "_prisma_migrations".

-- AlterTable
ALTER TABLE "workers" ADD COLUMN     "drain_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "pauses" (
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "paused_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pauses_pkey" PRIMARY KEY ("kind","name")
);

-- CreateTable
CREATE TABLE "stat_minutes" (
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "queue" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "n" INTEGER NOT NULL,
    "wait_hist" INTEGER[],
    "run_hist" INTEGER[],

    CONSTRAINT "stat_minutes_pkey" PRIMARY KEY ("bucket","queue","tool","outcome")
);

-- CreateTable
CREATE TABLE "stat_hours" (
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "queue" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "n" INTEGER NOT NULL,
    "wait_hist" INTEGER[],
    "run_hist" INTEGER[],

    CONSTRAINT "stat_hours_pkey" PRIMARY KEY ("bucket","queue","tool","outcome")
);

-- CreateTable
CREATE TABLE "queue_gauges" (
    "bucket" TIMESTAMPTZ(3) NOT NULL,
    "queue" TEXT NOT NULL,
    "waiting" INTEGER NOT NULL,
    "ready" INTEGER NOT NULL,
    "retrying" INTEGER NOT NULL,
    "running" INTEGER NOT NULL,
    "input_required" INTEGER NOT NULL,
    "oldest_wait_ms" DOUBLE PRECISION NOT NULL,
    "workers" INTEGER NOT NULL,
    "seats" INTEGER NOT NULL,
    "tools" JSONB NOT NULL,

    CONSTRAINT "queue_gauges_pkey" PRIMARY KEY ("bucket","queue")
);

-- CreateTable
CREATE TABLE "stat_marks" (
    "name" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stat_marks_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "tasks_failed_idx" ON "tasks"("id") WHERE (outcome_kind IN ('tool_error', 'error'));

-- CreateIndex
CREATE INDEX "tasks_called_idx" ON "tasks"("parent_task_id") WHERE (parent_task_id IS NOT NULL AND request_method <> 'longshore/chunk');

-- CreateIndex
CREATE INDEX "auth_contexts_newest_idx" ON "auth_contexts"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "schedules_newest_idx" ON "schedules"("created_at" DESC, "id" DESC);

-- From the first task there is, so that what ended before is counted as well.
INSERT INTO "stat_marks" ("name", "at") VALUES ('ended', 'epoch'), ('gauges', 'epoch');
