-- What a principal may use is counted, and a call can be sent again without being done twice.
--
-- Why:      a call with an idempotency key finds the task of an earlier one by a unique index. Open tasks of a
--           principal are counted by an index. Without Redis, requests per minute are counted in a table.
-- Locks:    ACCESS EXCLUSIVE on "tasks" for the columns, which have no default, so no row is rewritten. Then
--           SHARE while both indexes are built: tasks can be read, and not be written.
-- Duration: milliseconds for the columns. For the indexes two reads of the whole table, some 10 s each at ten
--           million rows. Few rows, if any, go into them: none has a key, and most have ended.
-- Undo:     drop the two columns, which drops the unique index too, "tasks_principal_id_open_idx" and
--           "request_counts", and delete this migration's row from "_prisma_migrations". Nothing else is lost.

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "arguments_hash" TEXT,
ADD COLUMN     "idempotency_key" TEXT;

-- CreateTable
CREATE TABLE "request_counts" (
    "principal_id" UUID NOT NULL,
    "requests" BIGINT NOT NULL,
    "window_ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "request_counts_pkey" PRIMARY KEY ("principal_id")
);

-- CreateIndex
CREATE INDEX "request_counts_window_ends_at_idx" ON "request_counts"("window_ends_at");

-- CreateIndex
CREATE INDEX "tasks_principal_id_open_idx" ON "tasks"("principal_id") WHERE (finished_at IS NULL AND parent_task_id IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "tasks_principal_id_tool_name_idempotency_key_key" ON "tasks"("principal_id", "tool_name", "idempotency_key") WHERE (idempotency_key IS NOT NULL);

-- From here on: what Prisma has no words for.

-- Counts of a minute are worth no write-ahead log: a crash of Postgres forgives them. Half a page of room, so
-- that counting is heap-only.
ALTER TABLE "request_counts" SET UNLOGGED;
ALTER TABLE "request_counts" SET (fillfactor = 50);
