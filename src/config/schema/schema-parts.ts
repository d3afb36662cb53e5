import * as z from "zod";
import { wires } from "../../core/model/model-settings.ts";
import { findPermitProblem, parseToolPattern } from "../../core/tools/tool-pattern.ts";
import { createLazy } from "../../kit/create-lazy.ts";
import type { Text } from "../../kit/locale.ts";
import { createOperatorSchema } from "../limit-schemas.ts";
import {
  address,
  database,
  hostHeader,
  hostPattern,
  keysAddress,
  mailServer,
  origin,
  proxy,
  reachable,
  secureAddress,
  sender,
  webProxy,
} from "./address-schemas.ts";
import { createHookGroups } from "./hook-schema.ts";
import {
  agentName,
  cloudName,
  headerName,
  headerValue,
  providerName,
  scope,
  serverName,
  token,
  variable,
  variableName,
} from "./name-schemas.ts";
import { withAllowed } from "./with-allowed.ts";

const text = createLazy(() => z.string().min(1));

const patterns = createLazy(() => z.array(text()));

const createSeconds = (from: number, to: number) => z.number().min(from).max(to);

const wire = createLazy(() => z.enum(wires));

const highestRate = 1_000_000;

const rate = createLazy(() => z.number().min(0).max(highestRate));

const cacheRate = createLazy(() => z.number().min(0).max(highestRate).optional());

const priceSchema = createLazy(() =>
  z
    .strictObject({
      input: rate(),
      output: rate(),
      cachedInput: cacheRate().meta({ description: "Input read from a cache; the price of input when absent." }),
      cacheWrite: cacheRate().meta({ description: "Input written to a cache; the price of input when absent." }),
    })
    .meta({ description: "US dollars for 1,000,000 tokens." }),
);

const toolPatterns = createLazy(() =>
  z.array(
    createRule((written) => {
      const parsed = parseToolPattern(written);
      return "problem" in parsed ? parsed.problem : undefined;
    }),
  ),
);

/** Accepts a text for which `problem` returns undefined. Otherwise `problem` says what is allowed. */
function createRule(problem: (written: string) => Text | undefined) {
  return text().superRefine((written, context) => {
    const allowed = problem(written);
    if (allowed) context.addIssue({ code: "custom", input: written, ...withAllowed(allowed) });
  });
}

const permitPatterns = createLazy(() => z.array(createRule(findPermitProblem)));

/** Allows signatures by a public key only: a secret that both sides know would let whoever checks a token make one. */
const signatureAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;

/** Holds the functions of Zod that the table uses. The namespace as a value would put the whole package into the bundle. */
const builders = {
  ...{ string: z.string, number: z.number, int: z.int, boolean: z.boolean, unknown: z.unknown },
  ...{ enum: z.enum, array: z.array, record: z.record, union: z.union, strictObject: z.strictObject },
};

/** Holds what the schemas in the table of settings are built from. The table itself loads no Zod, because `duet --help` reads it. */
export const schemaParts = toParts({
  ...{
    z: () => builders,
    text,
    patterns,
    address,
    seconds: () => createSeconds,
    variable,
    variableName,
    wire,
    limit: () => createOperatorSchema,
  },
  ...{ proxy, webProxy, cloudName },
  ...{ providerName, priceSchema, serverName, agentName, headerName, headerValue },
  ...{
    toolPatterns,
    permitPatterns,
    hostPattern,
    reachable,
    mailServer,
    sender,
    hookGroups: createLazy(createHookGroups),
  },
  ...{
    signatureAlgorithms: () => signatureAlgorithms,
    secureAddress,
    keysAddress,
    scope,
    hostHeader,
    origin,
    token,
    database,
  },
});

export type SchemaParts = typeof schemaParts;

type PartsOf<Creators extends Record<string, () => unknown>> = {
  readonly [Name in keyof Creators]: ReturnType<Creators[Name]>;
};

function toParts<Creators extends Record<string, () => unknown>>(creators: Creators): PartsOf<Creators> {
  const getters = Object.entries(creators).map(([name, get]) => [name, { get, enumerable: true }]);
  return Object.defineProperties({} as PartsOf<Creators>, Object.fromEntries(getters));
}
