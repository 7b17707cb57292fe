-- Workers say how long they may be silent.
--
-- Why:      a task whose lease ran out while its worker lives was never begun, which needs the worker's lease to be told.
-- Locks:    "workers" exclusively, for the change of the catalogue only: the default is no rewrite.
-- Duration: milliseconds, whatever the number of tasks.
-- Undo:     drop the column and delete this migration's row from "_prisma_migrations".

-- AlterTable
ALTER TABLE "workers" ADD COLUMN     "lease_ms" INTEGER NOT NULL DEFAULT 20000;
