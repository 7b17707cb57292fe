-- Where a task was accepted in a distributed trace, so that whoever runs it goes on with that.
--
-- Why:      traces go over processes and crashes (docs/traces.md).
-- Locks:    "tasks" exclusively, for a moment: the column has no default.
-- Duration: none of the rows is touched.
-- Undo:     drop the column, and delete this migration's row from "_prisma_migrations".

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "trace_context" TEXT;
