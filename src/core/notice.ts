import type * as z from "zod";
import type { noticeSchema } from "./schemas/events-schema.ts";

export type Notice = z.infer<typeof noticeSchema>;
