-- Large results and files of tools.
--
-- Why:      clients get a preview of a result that is too large, and read the whole by parts. Tools write
--           files into a store whose contents these rows account for.
-- Locks:    ACCESS EXCLUSIVE on "task_results" for a moment: a column without a default is added, no row is
--           rewritten.
-- Duration: milliseconds at any size.
-- Undo:     DROP TABLE "task_files", ALTER TABLE "task_results" DROP COLUMN "body", and delete this
--           migration's row from "_prisma_migrations". Large results keep their previews only, and the
--           file store is to be emptied by hand.

-- AlterTable
ALTER TABLE "task_results" ADD COLUMN     "body" BYTEA;

-- CreateTable
CREATE TABLE "task_files" (
    "id" UUID NOT NULL,
    "task_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "mime_type" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "size" BIGINT,
    "sha256" BYTEA,
    "sweep_after" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "task_files_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "task_files_task_id_idx" ON "task_files"("task_id");

-- CreateIndex
CREATE INDEX "task_files_sweep_after_idx" ON "task_files"("sweep_after") WHERE (sweep_after IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "task_files_task_id_name_ready_key" ON "task_files"("task_id", "name") WHERE (state = 'ready');

-- What Prisma has no words for.

-- Uncompressed, so that Postgres fetches just the pages of a part.
ALTER TABLE "task_results" ALTER COLUMN "body" SET STORAGE EXTERNAL;

ALTER TABLE "task_files"
    ADD CONSTRAINT "task_files_state_check" CHECK (state IN ('writing', 'ready', 'unwanted')),
    ADD CONSTRAINT "task_files_ready_check" CHECK (
        state <> 'ready' OR (size IS NOT NULL AND sha256 IS NOT NULL)
    ),
    ADD CONSTRAINT "task_files_sweep_check" CHECK ((state = 'ready') = (sweep_after IS NULL));
