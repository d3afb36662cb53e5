import * as z from "zod";
import type { Text } from "../../kit/locale.ts";

/** Adds the allowed values to a `refine`. They are stored in the issue, where `check-source.ts` reads them. */
export function withAllowed(allowed: Text): { params: { allowed: Text } } {
  return { params: { allowed } };
}

export const httpAddress: Text = { zh: "http 或 https 地址", en: "an http or https address" };

export const address = z.string().refine(isHttpAddress, withAllowed(httpAddress));

export function isHttpAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

export const text = z.string().min(1);
export const patterns = z.array(text);
