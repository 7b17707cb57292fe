export type NetworkRefusalCode = 'INVALID_URL' | 'HOST_NOT_ALLOWED' | 'PRIVATE_ADDRESS';

/** A URL or an address that is not to be reached. Its message tells no address. */
export class NetworkRefusal extends Error {
  override readonly name = 'NetworkRefusal';
  readonly reason: NetworkRefusalCode;

  constructor(reason: NetworkRefusalCode, message: string) {
    super(message);
    this.reason = reason;
  }
}
