import type { Context, ContextManager, TracerProvider } from "@opentelemetry/api";
import { isRecord } from "../../kit/json.ts";

/** What a program that embeds Duet has set up for its own spans. */
export interface RegisteredTelemetry {
  provider: TracerProvider;
  /** Where the caller is in its own trace; undefined where it keeps no track. */
  active(): Context | undefined;
}

/**
 * Looks where `@opentelemetry/api` 1.x keeps what was registered, whichever copy of it the program uses. Asking our own
 * copy would load it for nothing, and it refuses what a copy of an earlier version has registered.
 */
export function findRegisteredTelemetry(): RegisteredTelemetry | undefined {
  const kept: unknown = Reflect.get(globalThis, Symbol.for("opentelemetry.js.api.1"));
  if (!isRecord(kept) || !isProvider(kept.trace)) return undefined;
  const { trace, context } = kept;
  return { provider: trace, active: () => (isContextManager(context) ? context.active() : undefined) };
}

function isProvider(value: unknown): value is TracerProvider {
  return isRecord(value) && typeof value.getTracer === "function";
}

function isContextManager(value: unknown): value is ContextManager {
  return isRecord(value) && typeof value.active === "function";
}
