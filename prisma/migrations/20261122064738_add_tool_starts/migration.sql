-- Starts of tools with a rate are counted over all workers.
--
-- Why:      `task.rate` holds for the whole fleet, also without Redis.
-- Locks:    none on what is there.
-- Duration: milliseconds.
-- Undo:     drop "tool_starts" and delete this migration's row from "_prisma_migrations". Counts of the periods
--           that run are lost.

-- CreateTable
CREATE TABLE "tool_starts" (
    "tool_name" TEXT NOT NULL,
    "starts" INTEGER NOT NULL,
    "window_ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tool_starts_pkey" PRIMARY KEY ("tool_name")
);

-- From here on: what Prisma has no words for.

-- Room in the page, so that counting is heap-only.
ALTER TABLE "tool_starts" SET (fillfactor = 50);
