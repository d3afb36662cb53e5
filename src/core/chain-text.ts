import { isRecord, type JsonSchema, toText } from "../kit/json.ts";
import { type Chain, readChainMeta, readTraceContext, type TraceContext } from "./chain.ts";

/**
 * The chain is also sent in this argument of `agent_ask`, because gateways that drop `_meta` pass arguments on. A tool whose
 * schema has this property, or all arguments of `agent_ask`, is an agent itself, whatever its name.
 */
export const chainProperty = "duet_chain";

/** Limits the text that is read as a chain, in characters. */
export const longestChainText = 200;

/** Writes `depth;deadline;budget;cost;traceparent`, such as `2;1764000000000;40000;0.5;00-…-01`. A missing value is empty. */
export function toChainText({ depth, deadline, budget, cost }: Chain, trace?: TraceContext): string {
  return [depth, deadline, budget, cost, trace?.traceparent].join(";").replace(/;+$/, "");
}

/**
 * Reads the position of a call in a chain of agents. It takes the deeper and stricter of the values in `_meta` and in the
 * argument `duet_chain`, because either may be missing. The trace is that of `_meta`, else of the argument, else of the HTTP
 * request's headers (https://www.w3.org/TR/trace-context/). Invalid values count as absent.
 */
export function readChain(
  meta: Readonly<Record<string, unknown>> | undefined,
  argument?: unknown,
  headers?: Pick<Headers, "get">,
): Chain {
  const [said, written] = [readChainMeta(meta), fromChainText(argument)];
  return {
    depth: Math.max(said.depth, written.depth),
    deadline: takeLeast(said.deadline, written.deadline),
    budget: takeLeast(said.budget, written.budget),
    cost: takeLeast(said.cost, written.cost),
    trace: said.trace ?? written.trace ?? readTrace(headers),
  };
}

function fromChainText(argument: unknown): Chain {
  const text = toText(argument);
  const [depth, deadline, budget, cost, traceparent] = text.length > longestChainText ? [] : text.trim().split(";");
  return readChainMeta({
    "duet/depth": parseNumber(depth),
    "duet/deadline": parseNumber(deadline),
    "duet/budget": parseNumber(budget),
    "duet/cost-budget": parseNumber(cost),
    traceparent,
  });
}

function parseNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d/.test(text) ? Number(text) : undefined;
}

function readTrace(headers: Pick<Headers, "get"> | undefined): TraceContext | undefined {
  return readTraceContext({
    traceparent: headers?.get("traceparent"),
    tracestate: headers?.get("tracestate"),
    baggage: headers?.get("baggage"),
  });
}

function takeLeast(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** Names the arguments by which a tool is known as `agent_ask` of another Duet, which takes the chain without listing it. */
const agentArguments = ["question", "conversation_id", "mode", "tools", "wait_s", "detail", "confirmation"];

/** Returns true when a tool with this input schema is an agent that tracks chains. */
export function hasChainProperty({ properties }: JsonSchema): boolean {
  if (!isRecord(properties)) return false;
  return Object.hasOwn(properties, chainProperty) || agentArguments.every((name) => Object.hasOwn(properties, name));
}

/** Returns the schema for models, which must not set the chain. */
export function removeChainProperty(schema: JsonSchema): JsonSchema {
  if (!isRecord(schema.properties)) return schema;
  const { [chainProperty]: _, ...properties } = schema.properties;
  const { required } = schema;
  return Array.isArray(required)
    ? { ...schema, properties, required: required.filter((name) => name !== chainProperty) }
    : { ...schema, properties };
}
