import * as z from "zod";

/** What `terminal` of the file may say. */
export const terminalSchema = z
  .strictObject({
    theme: z
      .enum(["auto", "dark", "light"])
      .default("auto")
      .meta({ description: "Colours for a dark or a light background; auto: as the terminal says, else dark." }),
    screenReader: z.boolean().default(false).meta({
      description: "Plain lines for a screen reader: nothing is redrawn, signs are words, no spinner.",
    }),
  })
  .meta({ description: "The chat in a terminal." });
