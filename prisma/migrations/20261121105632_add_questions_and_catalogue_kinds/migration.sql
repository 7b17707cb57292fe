-- Questions to clients, what clients can be asked and want logged, and a catalogue of more than tools.
--
-- Why:      a running tool asks its client (elicitation, sampling, roots) and the answers survive any process.
--           Prompts and resources are announced like tools. Replicas share the key that signs requestState.
-- Locks:    ACCESS EXCLUSIVE on "tasks", "sessions", "input_requests" and "tools". The new columns of tasks
--           and sessions have no or a constant default, so no row is rewritten. Those of "input_requests"
--           have none and are NOT NULL: nothing wrote to that table before.
-- Duration: milliseconds at any size, once the locks are there. Workers announce themselves in
--           "catalogue_entries" when they start: what runs an older version while this is applied loses its
--           place in the catalogue, and has to be restarted with the new version anyway.
-- Undo:     drop the new columns and tables, create "tools" as the first migration does, and delete this
--           migration's row from "_prisma_migrations". This loses all questions.

-- DropForeignKey
ALTER TABLE "tools" DROP CONSTRAINT "tools_worker_id_fkey";

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "log_level" TEXT,
ADD COLUMN     "resource_subscriptions" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "abilities" JSON,
ADD COLUMN     "log_level" TEXT,
ADD COLUMN     "logs_taken" BIGINT,
ADD COLUMN     "logs_taken_by" UUID;

-- AlterTable
ALTER TABLE "input_requests" ADD COLUMN     "attempt" INTEGER NOT NULL,
ADD COLUMN     "event_id" BIGINT NOT NULL,
ADD COLUMN     "remote_task" JSON,
ADD COLUMN     "stream_id" UUID,
ADD COLUMN     "stream_lease_expires_at" TIMESTAMPTZ(3);

-- DropTable
DROP TABLE "tools";

-- CreateTable
CREATE TABLE "catalogue_entries" (
    "worker_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "definition" JSON NOT NULL,

    CONSTRAINT "catalogue_entries_pkey" PRIMARY KEY ("worker_id","kind","name")
);

-- CreateTable
CREATE TABLE "server_secrets" (
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "server_secrets_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "input_requests_task_id_event_id_open_idx" ON "input_requests"("task_id", "event_id") WHERE (answered_at IS NULL);

-- CreateIndex
CREATE INDEX "input_requests_stream_id_open_idx" ON "input_requests"("stream_id") WHERE (answered_at IS NULL AND stream_id IS NOT NULL);

-- AddForeignKey
ALTER TABLE "catalogue_entries" ADD CONSTRAINT "catalogue_entries_worker_id_fkey" FOREIGN KEY ("worker_id") REFERENCES "workers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- From here on: what Prisma has no words for.

ALTER TABLE "catalogue_entries"
    ADD CONSTRAINT "catalogue_entries_kind_check" CHECK ("kind" IN ('tool', 'prompt', 'resource'));

ALTER TABLE "input_requests"
    ADD CONSTRAINT "input_requests_answered_check" CHECK (("answered_at" IS NULL) = ("response" IS NULL));
