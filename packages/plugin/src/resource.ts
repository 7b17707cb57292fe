import { checkResourceDefinition } from './check-resource-definition.ts';
import {
  type Complete,
  type Completion,
  type CompletionContext,
  checkCompletions,
  runCompletion,
} from './completion.ts';
import { type RequestOptions, type RequestPolicy, requestPolicy } from './request-policy.ts';
import { type ResourceReturn, resourceContents } from './resource-contents.ts';
import type { ToolContext } from './tool-context.ts';
import type { TemplateVariables } from './uri-template.ts';
import type { ContentAnnotations, EmbeddedResource } from './values/content.ts';
import type { MaybePromise } from './values/maybe-promise.ts';

/** What a client wants to read. */
export interface ResourceRequest<Variables = Readonly<Record<string, string>>> {
  readonly uri: string;
  /** Of the template, percent-decoded; none for a resource with a URI. */
  readonly variables: Variables;
}

interface ResourceFacts extends RequestOptions {
  /** What users know it by. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Of the contents, unless `read` says another. */
  readonly mimeType?: string;
  readonly annotations?: ContentAnnotations;
}

/** One resource, at a URI. */
export interface FixedResourceDefinition extends ResourceFacts {
  /** Absolute, unique among all resources of the server. */
  readonly uri: string;
  readonly uriTemplate?: never;
  readonly complete?: never;
  read(
    request: ResourceRequest<Readonly<Record<never, string>>>,
    ctx: ToolContext,
  ): MaybePromise<ResourceReturn>;
}

/** All resources whose URIs match a template. */
export interface TemplateResourceDefinition<Template extends string> extends ResourceFacts {
  readonly uri?: never;
  /** RFC 6570 level 1, such as `notes://{day}`: a variable takes no `/`, `?` or `#`. Unique. */
  readonly uriTemplate: Template;
  /** Suggestions for variables, by name. */
  readonly complete?: { readonly [Name in keyof TemplateVariables<Template>]?: Complete };
  /** @returns null, or throws ResourceNotFound, when there is no such resource */
  read(
    request: ResourceRequest<TemplateVariables<Template>>,
    ctx: ToolContext,
  ): MaybePromise<ResourceReturn>;
}

/** A checked resource or template of resources: what a worker runs. */
export interface Resource {
  /** How a worker knows a resource among a module's exports, whichever copy of this package made it. */
  readonly longshoreResource: 1;
  readonly address:
    | { readonly kind: 'uri'; readonly uri: string }
    | { readonly kind: 'template'; readonly template: string };
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly mimeType: string | null;
  readonly annotations: ContentAnnotations | null;
  /** Names of the variables that offer completions. */
  readonly completes: readonly string[];
  readonly policy: RequestPolicy;
  /**
   * @returns null when there is no such resource
   * @throws {z.ZodError} what the author returned is no content
   */
  read(uri: string, ctx: ToolContext): Promise<readonly EmbeddedResource[] | null>;
  complete(variable: string, value: string, ctx: CompletionContext): Promise<Completion>;
}

/**
 * Defines a resource, or with `uriTemplate` a family of them: content that clients read by URI.
 *
 * @throws {PluginDefinitionError} no URI or a bad one, no name, unknown options
 */
export function defineResource(definition: FixedResourceDefinition): Resource;
export function defineResource<const Template extends string>(
  definition: TemplateResourceDefinition<Template>,
): Resource;
export function defineResource(
  definition: FixedResourceDefinition | TemplateResourceDefinition<string>,
): Resource {
  const template = checkResourceDefinition(definition);
  const { uri = '', name, mimeType = null, complete = {} } = definition;
  const completes = Object.keys(complete);
  checkCompletions(`resource '${name}'`, completes, template?.variables ?? []);
  return {
    longshoreResource: 1,
    address:
      definition.uriTemplate === undefined
        ? { kind: 'uri', uri }
        : { kind: 'template', template: definition.uriTemplate },
    name,
    title: definition.title ?? null,
    description: definition.description ?? null,
    mimeType,
    annotations: definition.annotations ?? null,
    completes,
    policy: requestPolicy(definition),
    read: async (requested, ctx) => {
      const variables =
        template === null ? (requested === uri ? {} : null) : template.match(requested);
      if (variables === null) return null;
      try {
        const returned = await definition.read({ uri: requested, variables }, ctx);
        return resourceContents(returned, requested, mimeType);
      } catch (error) {
        if (error instanceof Error && error.name === 'ResourceNotFound') return null;
        throw error;
      }
    },
    complete: (variable, value, ctx) => runCompletion(complete, variable, value, ctx),
  };
}

/** True for what `defineResource` returned, also from another copy of this package. */
export function isResource(value: unknown): value is Resource {
  return (
    typeof value === 'object' &&
    value !== null &&
    'longshoreResource' in value &&
    value.longshoreResource === 1
  );
}

/** Throw it from `read` when there is no such resource; returning null says the same. */
export class ResourceNotFound extends Error {
  override readonly name = 'ResourceNotFound';
}
