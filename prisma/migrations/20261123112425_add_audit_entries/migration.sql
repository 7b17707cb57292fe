-- Who did what to what from where.
--
-- Why:      what is done to the tasks of others, to keys and to queues must be answered for.
-- Locks:    none that anybody waits for: the table is new.
-- Duration: milliseconds.
-- Undo:     drop the table and delete this migration's row from "_prisma_migrations".

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "action" TEXT NOT NULL,
    "principal_id" UUID,
    "auth_binding_id" UUID,
    "target_kind" TEXT,
    "target_id" TEXT,
    "address" TEXT,
    "request_id" TEXT,
    "details" JSON,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_entries_at_idx" ON "audit_entries"("at");

-- CreateIndex
CREATE INDEX "audit_entries_principal_idx" ON "audit_entries"("principal_id", "id" DESC);

-- CreateIndex
CREATE INDEX "audit_entries_target_idx" ON "audit_entries"("target_id", "id" DESC) WHERE (target_id IS NOT NULL);
