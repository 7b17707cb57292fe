/**
 * Why a question has no usable answer.
 * - `unsupported`: the client did not declare the ability; nothing was asked.
 * - `timeout`: nobody answered in time.
 * - `invalid`: the answers did not fit, also when asked again.
 * - `refused`: the client answered with an error, such as a user who does not allow sampling.
 */
export type InputErrorReason = 'unsupported' | 'timeout' | 'invalid' | 'refused';

/**
 * A question was not answered. Catch it to go on without the answer; uncaught it fails the call without a
 * retry, its message being the result. Declining and cancelling are answers, not errors.
 */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly reason: InputErrorReason;

  constructor(reason: InputErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
