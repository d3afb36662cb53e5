/** Holds the picture that a format's reader found, in pieces of the file that follow each other. */
export interface FoundPicture {
  pieces: readonly Uint8Array[];
  width: number;
  height: number;
}

/** Limits the pieces of one image. No real image has nearly as many, and each takes memory. */
export const mostPieces = 100_000;
