-- What operators do to all tasks that a filter matches, so that it goes on after a restart.
--
-- Why:      thousands of cancellations take longer than a request, and longer than a process may live.
-- Locks:    none that anybody waits for: the table is new.
-- Duration: milliseconds.
-- Undo:     drop the table and delete this migration's row from "_prisma_migrations".

-- CreateTable
CREATE TABLE "bulk_actions" (
    "id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "auth_binding_id" UUID NOT NULL,
    "scopes" JSON,
    "action" TEXT NOT NULL,
    "filter" JSON NOT NULL,
    "most" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'running',
    "done" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "failures" JSON NOT NULL DEFAULT '[]',
    "place" JSON,
    "lease_expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "bulk_actions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "bulk_actions_newest_idx" ON "bulk_actions"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "bulk_actions_running_idx" ON "bulk_actions"("lease_expires_at") WHERE (state = 'running');
