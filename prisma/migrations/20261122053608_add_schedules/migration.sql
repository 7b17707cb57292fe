-- Schedules: tools that are to run at a time, or again and again.
--
-- Why:      the row is the truth. It says what is due, and moves behind a due time in the transaction that accepts
--           the task of it.
-- Locks:    SHARE ROW EXCLUSIVE on "auth_contexts" for its foreign key, which has nothing to check.
-- Duration: milliseconds at any size.
-- Undo:     DROP TABLE "schedules", and delete this migration's row from "_prisma_migrations".

-- CreateTable
CREATE TABLE "schedules" (
    "id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "auth_binding_id" UUID NOT NULL,
    "name" TEXT,
    "tool_name" TEXT NOT NULL,
    "arguments" JSON NOT NULL,
    "cron" TEXT,
    "run_at" TIMESTAMPTZ(3),
    "time_zone" TEXT NOT NULL,
    "missed" TEXT NOT NULL,
    "overlap" TEXT NOT NULL,
    "ttl_ms" BIGINT,
    "state" TEXT NOT NULL DEFAULT 'active',
    "next_run_at" TIMESTAMPTZ(3),
    "wake_at" TIMESTAMPTZ(3),
    "last_run_at" TIMESTAMPTZ(3),
    "last_task_id" UUID,
    "runs" BIGINT NOT NULL DEFAULT 0,
    "skipped" BIGINT NOT NULL DEFAULT 0,
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "schedules_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "schedules_owner_newest_idx" ON "schedules"("principal_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "schedules_wake_at_idx" ON "schedules"("wake_at") WHERE (wake_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "schedules_ended_idx" ON "schedules"("updated_at") WHERE (state = 'ended');

-- CreateIndex
CREATE UNIQUE INDEX "schedules_principal_id_name_key" ON "schedules"("principal_id", "name") WHERE (name IS NOT NULL AND state <> 'ended');

-- AddForeignKey
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "auth_contexts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddChecks
ALTER TABLE "schedules"
    ADD CONSTRAINT "schedules_missed_check" CHECK ("missed" IN ('skip', 'run_once', 'run_all')),
    ADD CONSTRAINT "schedules_overlap_check" CHECK ("overlap" IN ('skip', 'start')),
    ADD CONSTRAINT "schedules_state_check" CHECK ("state" IN ('active', 'paused', 'ended')),
    ADD CONSTRAINT "schedules_when_check" CHECK (("cron" IS NULL) <> ("run_at" IS NULL)),
    ADD CONSTRAINT "schedules_active_next_check" CHECK (("state" = 'active') = ("next_run_at" IS NOT NULL)),
    ADD CONSTRAINT "schedules_next_wake_check" CHECK (("next_run_at" IS NULL) = ("wake_at" IS NULL));
