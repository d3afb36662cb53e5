import { isRecord, type JsonSchema, toText } from "../kit/json.ts";
import { type Chain, readChainMeta, readTraceContext, type TraceContext } from "./chain.ts";

/**
 * The argument of `agent_ask` in which the chain travels beside `_meta`: gateways that drop `_meta` hand arguments on. A tool
 * whose schema has it is an agent itself, under whatever name it comes.
 */
export const chainProperty = "duet_chain";

/** The longest text that is read as a chain, in characters. */
export const longestChainText = 200;

/** `depth;deadline;budget;cost;traceparent`, such as `2;1764000000000;40000;0.5;00-…-01`; empty where nothing is said. */
export function toChainText({ depth, deadline, budget, cost }: Chain, trace?: TraceContext): string {
  return [depth, deadline, budget, cost, trace?.traceparent].join(";").replace(/;+$/, "");
}

/**
 * Where a call stands in a chain of agents: the deeper and stricter of what its `_meta` and its argument `duet_chain` say, for
 * either may be missing. The trace is that of `_meta`, else of the argument, else of the HTTP request's headers
 * (https://www.w3.org/TR/trace-context/). What makes no sense counts as not said.
 */
export function readChain(
  meta: Readonly<Record<string, unknown>> | undefined,
  argument?: unknown,
  headers?: Pick<Headers, "get">,
): Chain {
  const [said, written] = [readChainMeta(meta), fromChainText(argument)];
  return {
    depth: Math.max(said.depth, written.depth),
    deadline: least(said.deadline, written.deadline),
    budget: least(said.budget, written.budget),
    cost: least(said.cost, written.cost),
    trace: said.trace ?? written.trace ?? traceIn(headers),
  };
}

function fromChainText(argument: unknown): Chain {
  const text = toText(argument);
  const [depth, deadline, budget, cost, traceparent] = text.length > longestChainText ? [] : text.trim().split(";");
  return readChainMeta({
    "duet/depth": numberIn(depth),
    "duet/deadline": numberIn(deadline),
    "duet/budget": numberIn(budget),
    "duet/cost-budget": numberIn(cost),
    traceparent,
  });
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d/.test(text) ? Number(text) : undefined;
}

function traceIn(headers: Pick<Headers, "get"> | undefined): TraceContext | undefined {
  return readTraceContext({
    traceparent: headers?.get("traceparent"),
    tracestate: headers?.get("tracestate"),
    baggage: headers?.get("baggage"),
  });
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** Whether a tool with this input schema is an agent that keeps count of chains. */
export function hasChainProperty({ properties }: JsonSchema): boolean {
  return isRecord(properties) && Object.hasOwn(properties, chainProperty);
}

/** The schema for models: they have nothing to say there. */
export function removeChainProperty(schema: JsonSchema): JsonSchema {
  if (!isRecord(schema.properties)) return schema;
  const { [chainProperty]: _, ...properties } = schema.properties;
  const { required } = schema;
  return Array.isArray(required)
    ? { ...schema, properties, required: required.filter((name) => name !== chainProperty) }
    : { ...schema, properties };
}
