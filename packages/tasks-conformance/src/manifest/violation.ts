import type { RequirementId } from './requirements.ts';

/** The server does not do what a requirement asks. */
export class Violation extends Error {
  override readonly name = 'Violation';
  /** Null: the requirement of the check that noticed. */
  readonly requirement: RequirementId | null;

  constructor(requirement: RequirementId | null, message: string) {
    super(message);
    this.requirement = requirement;
  }
}

/** A check can not be done on this server, which is not wrong in itself. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** @throws {Violation} of `requirement`; null: of the check's own */
export function verify(
  condition: unknown,
  requirement: RequirementId | null,
  message: string,
): asserts condition {
  if (!condition) throw new Violation(requirement, message);
}

/** @throws {Violation} of the check's own requirement */
export function expect(condition: unknown, message: string): asserts condition {
  verify(condition, null, message);
}

/** @throws {Skipped} */
export function skip(reason: string): never {
  throw new Skipped(reason);
}
