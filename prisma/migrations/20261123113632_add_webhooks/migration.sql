-- Who wants to be told of what becomes of tasks, and each thing they are told.
--
-- Why:      one process finds what became of tasks behind the hot path, and any API sends what is due. A task has no row of these.
-- Locks:    none that anybody waits for: the tables are new.
-- Duration: milliseconds.
-- Undo:     drop both tables, delete the marks 'webhooks' and 'webhook_batches' of "stat_marks" and this migration's row of "_prisma_migrations".

-- CreateTable
CREATE TABLE "webhooks" (
    "id" UUID NOT NULL,
    "principal_id" UUID,
    "made_by" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "events" TEXT[],
    "failing_share" DOUBLE PRECISION NOT NULL,
    "enabled_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "disabled_reason" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "webhook_id" UUID NOT NULL,
    "task_id" UUID,
    "event" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "data" JSON NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "response_status" INTEGER,
    "response_text" TEXT,
    "error" TEXT,
    "latency_ms" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhooks_newest_idx" ON "webhooks"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_deliveries_newest_idx" ON "webhook_deliveries"("webhook_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_deliveries_due_idx" ON "webhook_deliveries"("webhook_id", "next_attempt_at") WHERE (next_attempt_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "webhook_deliveries_open_idx" ON "webhook_deliveries"("webhook_id", "task_id", "seq") WHERE (next_attempt_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_deliveries_webhook_id_task_id_event_subject_key" ON "webhook_deliveries"("webhook_id", "task_id", "event", "subject");

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What is wrong in a row would be wrong in each message.
ALTER TABLE "webhooks"
  ADD CONSTRAINT "webhooks_disabled_check" CHECK ((enabled_at IS NULL) = (disabled_reason IS NOT NULL)),
  ADD CONSTRAINT "webhooks_failing_share_check" CHECK (failing_share > 0 AND failing_share <= 1);
ALTER TABLE "webhook_deliveries"
  ADD CONSTRAINT "webhook_deliveries_state_check"
  CHECK (state IN ('pending', 'failed', 'delivered', 'dead') AND (state IN ('pending', 'failed')) = (next_attempt_at IS NOT NULL));

-- Webhooks are told of what ends from when they are made, whatever the mark says.
INSERT INTO "stat_marks" ("name", "at") VALUES ('webhooks', 'epoch'), ('webhook_batches', 'epoch');
