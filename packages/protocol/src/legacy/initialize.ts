import { type JsonObject, UI_EXTENSION } from '@longshore/core';
import {
  type HandshakeVersion,
  isLegacyVersion,
  LATEST_LEGACY_VERSION,
  type LegacyVersion,
} from '../shared/versions.ts';

/** The requested revision when we speak it, else the latest (2025-11-25 basic/lifecycle). */
export function negotiateVersion(requested: string): LegacyVersion {
  return isLegacyVersion(requested) ? requested : LATEST_LEGACY_VERSION;
}

/** Whether a negotiated revision has tasks, and what belongs to them. */
export function speaksTasks(version: string): boolean {
  return version === '2025-11-25';
}

export interface ServerIdentity {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
}

/** The InitializeResult; `tasks` is declared only where the revision knows it. */
export function initializeResult(version: HandshakeVersion, server: ServerIdentity): JsonObject {
  return {
    protocolVersion: version,
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
      logging: {},
      extensions: { [UI_EXTENSION]: {} },
      ...(speaksTasks(version)
        ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
        : {}),
    },
    serverInfo: { name: server.name, title: 'Longshore', version: server.version },
    instructions: server.instructions,
  };
}
