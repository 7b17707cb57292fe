type Json = Record<string, unknown>;

/** What a client was asked, as it came over the wire. */
export interface Asked {
  readonly method: string;
  readonly params: Json;
}

type ElicitAnswer = {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string>;
};

/** Who sits in front of a client under test and answers what its server asks. Change it as a test needs. */
export interface Person {
  readonly asked: Asked[];
  elicit: (params: Json) => ElicitAnswer | Promise<ElicitAnswer>;
  sample: (params: Json) => Promise<{
    role: 'assistant';
    model: string;
    content: { type: 'text'; text: string };
  }>;
  roots: () => { roots: { uri: string }[] };
}

/** One called Ada, who agrees to everything and knows one town. */
export function ada(): Person {
  return {
    asked: [],
    elicit: ({ requestedSchema }) => {
      const { properties } = (requestedSchema ?? {}) as { properties?: Json };
      return properties === undefined
        ? { action: 'accept' }
        : {
            action: 'accept',
            content: Object.fromEntries(Object.keys(properties).map((key) => [key, 'Ada'])),
          };
    },
    sample: () =>
      Promise.resolve({
        role: 'assistant',
        model: 'oracle',
        content: { type: 'text', text: 'Paris' },
      }),
    roots: () => ({ roots: [{ uri: 'file:///work' }] }),
  };
}

/** Abilities of a client that has a person and a model behind it, as both eras declare them. */
export const FULL_ABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
} as const;
