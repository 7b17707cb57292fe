/** Handshake revisions the legacy leg speaks, newest first. Tasks exist in the first only. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export type LegacyVersion = (typeof LEGACY_VERSIONS)[number];

/** The revision of the HTTP+SSE transport, which is spoken there and nowhere else. */
export const SSE_VERSION = '2024-11-05';

/** What a handshake may come to. */
export type HandshakeVersion = LegacyVersion | typeof SSE_VERSION;

/** The revision that names its version in each request. */
export const MODERN_VERSION = '2026-07-28';

/** Everything this server speaks, newest first; a client that picks a legacy one goes on with initialize. */
export const SUPPORTED_VERSIONS = [MODERN_VERSION, ...LEGACY_VERSIONS] as const;

export const LATEST_LEGACY_VERSION = LEGACY_VERSIONS[0];

export function isLegacyVersion(version: string): version is LegacyVersion {
  return LEGACY_VERSIONS.some((known) => known === version);
}
