/** Throw it from `read` when there is no such resource; returning null says the same. */
export class ResourceNotFound extends Error {
  override readonly name = 'ResourceNotFound';
}
