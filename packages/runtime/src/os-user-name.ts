import { userInfo } from 'node:os';

/** Who the operating system says we are: the name, or `uid:NUMBER` for a user without one, as in containers. */
export function osUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid:${process.getuid?.() ?? 'unknown'}`;
  }
}
