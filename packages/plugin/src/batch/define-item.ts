import * as z from 'zod';
import { checkFunction, checkOptions, definitionName } from '../checks/definition-checks.ts';
import type { MaybePromise } from '../values/maybe-promise.ts';
import type { ItemContext } from './batch-types.ts';

/** What an author hands to `defineItem`. */
export interface ItemDefinition<Input extends z.ZodType, Result> {
  /** 1 to 128 characters of `[A-Za-z0-9_.-]`, unique among the items of its tool. */
  readonly name: string;
  /** Checks each item; one that does not fit has failed. */
  readonly input: Input;
  run(item: z.output<Input>, ctx: ItemContext): MaybePromise<Result>;
}

/** A checked item function, its types forgotten: what a worker runs. */
export interface Item {
  /** How a worker knows an item function, whichever copy of this package made it. */
  readonly longshoreItem: 1;
  readonly name: string;
  /** @throws {z.ZodError} when the item does not fit */
  parse(value: unknown): unknown;
  run(item: unknown, ctx: ItemContext): MaybePromise<unknown>;
}

/** An item function that still knows its types at compile time. There is no `~types` at run time. */
export interface TypedItem<Input, Result> extends Item {
  readonly '~types'?: { readonly input: Input; readonly result: Result };
}

const Definition = z.strictObject({
  name: z.string(),
  input: z.custom((value) => value instanceof z.ZodType || isSchema(value), {
    error: 'must be a zod schema of an item',
  }),
  run: z.unknown(),
});

/**
 * Defines what `ctx.map` does with an item, under a name, so that any worker with the plugin can run it. List
 * it in the `items` of the tool that maps over it.
 *
 * @throws {PluginDefinitionError} wrong name, no schema, no function
 */
export function defineItem<Input extends z.ZodType, Result>(
  definition: ItemDefinition<Input, Result>,
): TypedItem<z.input<Input>, Awaited<Result>> {
  const label = `item '${definitionName('item', 'defineItem', '{ name, input, run }', definition)}'`;
  checkFunction(label, definition, 'run', 'run(item, ctx)');
  checkOptions(label, Definition, definition);
  const { name, input } = definition;
  return {
    longshoreItem: 1,
    name,
    parse: (value) => input.parse(value),
    // The caller hands in what parse returned.
    run: (item, ctx) => definition.run(item as z.output<Input>, ctx),
  };
}

/** True for what `defineItem` returned, also from another copy of this package. */
export function isItem(value: unknown): value is Item {
  return (
    typeof value === 'object' &&
    value !== null &&
    'longshoreItem' in value &&
    value.longshoreItem === 1
  );
}

/** A schema of another copy of zod. */
function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value;
}
