-- Pages of plugins that hosts show beside what a tool answers, and which of them a worker offers.
--
-- Why:      a page is read by clients without asking a worker, also when none is left that has it.
-- Locks:    "workers" exclusively for a moment.
-- Duration: at once: a default that does not depend on the row, and a new table.
-- Undo:     drop the column and the table, and delete this migration's row from "_prisma_migrations".

-- AlterTable
ALTER TABLE "workers" ADD COLUMN     "cards" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "plugin_cards" (
    "uri" TEXT NOT NULL,
    "html" TEXT NOT NULL,
    "csp" JSON NOT NULL,
    "offered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "plugin_cards_pkey" PRIMARY KEY ("uri")
);
