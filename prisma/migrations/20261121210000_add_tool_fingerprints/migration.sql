-- Tasks know the version of the tool they were accepted for, and the catalogue which worker has it.
--
-- Why:      while two versions of a tool are served, a task is run by the one whose schema its arguments were
--           checked against.
-- Locks:    ACCESS EXCLUSIVE on "tasks" and "catalogue_entries" for a moment: nullable columns without defaults
--           rewrite nothing.
-- Duration: milliseconds at any size.
-- Undo:     drop the two columns and delete this migration's row from "_prisma_migrations".

-- AlterTable
ALTER TABLE "catalogue_entries" ADD COLUMN     "fingerprint" TEXT;

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "tool_fingerprint" TEXT;
