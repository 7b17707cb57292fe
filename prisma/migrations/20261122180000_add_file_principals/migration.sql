-- Files say whose they are.
--
-- Why:      what all files of a principal take has a bound, and is summed from an index before each new file.
-- Locks:    "task_files" exclusively, for as long as the index takes. Workers wait with their files.
-- Duration: reads the table three times: seconds for a million files. The rows of files already there are written once.
-- Undo:     drop the column and delete this migration's row from "_prisma_migrations".

-- AlterTable
ALTER TABLE "task_files" ADD COLUMN     "principal_id" UUID;

-- What no task has any more is about to be swept.
UPDATE "task_files" AS f SET "principal_id" = t."principal_id" FROM "tasks" AS t WHERE t."id" = f."task_id";

-- CreateIndex
CREATE INDEX "task_files_principal_id_size_idx" ON "task_files"("principal_id", "size") WHERE (state = 'ready');
