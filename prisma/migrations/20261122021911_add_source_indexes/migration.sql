-- Of which items of an earlier batch the items of a chunk are another try.
--
-- Why:      the tool retry_failed makes a new batch of the failed items of another one, and what came of an item is
--           told under the index it had there.
-- Locks:    ACCESS EXCLUSIVE on "batch_chunks", for as long as the catalogue is written: no row is.
-- Duration: milliseconds at any size.
-- Undo:     ALTER TABLE "batch_chunks" DROP COLUMN "source_indexes", and delete this migration's row from
--           "_prisma_migrations".

-- AlterTable
ALTER TABLE "batch_chunks" ADD COLUMN     "source_indexes" INTEGER[] DEFAULT ARRAY[]::INTEGER[];
