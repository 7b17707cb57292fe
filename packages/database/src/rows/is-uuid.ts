const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** An id that is no UUID can not be in the database, and Postgres would call it an error. */
export function isUuid(id: string): boolean {
  return UUID.test(id);
}
