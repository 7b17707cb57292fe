-- API keys, for AUTH=api-key.
--
-- Why:      callers prove who they are by a key. Only its hash is stored.
-- Locks:    SHARE ROW EXCLUSIVE on "auth_bindings" for the foreign key, which nothing has to be checked for:
--           the new table is empty.
-- Duration: milliseconds at any size.
-- Undo:     DROP TABLE "api_keys" and delete this migration's row from "_prisma_migrations". All keys are
--           lost, the tasks of their principals are not.

-- CreateTable
CREATE TABLE "api_keys" (
    "id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "auth_binding_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "scopes" TEXT[],
    "limits" JSON,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_auth_binding_id_key" ON "api_keys"("auth_binding_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_secret_hash_key" ON "api_keys"("secret_hash");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_auth_binding_id_fkey" FOREIGN KEY ("auth_binding_id") REFERENCES "auth_bindings"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
