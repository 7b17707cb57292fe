-- Which version of a plugin a task ended in, and figures by version.
--
-- Why:      a release that fails more, or runs longer, is seen beside the one before. The statement that ends a task writes it, in the row that it
--           writes in any case.
-- Locks:    "tasks", "stat_minutes" and "stat_hours" exclusively for a moment, and the two tables of figures for as long as their keys take.
-- Duration: "tasks" is not read. A week of minutes and 400 days of hours: a second for each million of their rows.
-- Undo:     drop the columns, make the keys without "version", and delete this migration's row from "_prisma_migrations". Rows that then have the
--           same key are to be added up before.

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "tool_version" TEXT;

-- AlterTable
ALTER TABLE "stat_minutes" ADD COLUMN     "version" TEXT NOT NULL DEFAULT '',
DROP CONSTRAINT "stat_minutes_pkey",
ADD CONSTRAINT "stat_minutes_pkey" PRIMARY KEY ("bucket", "queue", "tool", "version", "outcome");

-- AlterTable
ALTER TABLE "stat_hours" ADD COLUMN     "version" TEXT NOT NULL DEFAULT '',
DROP CONSTRAINT "stat_hours_pkey",
ADD CONSTRAINT "stat_hours_pkey" PRIMARY KEY ("bucket", "queue", "tool", "version", "outcome");
