import fc from "fast-check";

/** Any text that can be said in UTF-8. fast-check's own `unit: "binary"` does the like, and takes a second to be made. */
export function anyText(constraints: Pick<fc.StringConstraints, "minLength" | "maxLength"> = {}): fc.Arbitrary<string> {
  const unit = fc
    .oneof(fc.nat(0xff), fc.nat(0x10_f7ff).map(passSurrogates))
    .map((point) => String.fromCodePoint(point));
  return fc.string({ ...constraints, unit });
}

function passSurrogates(point: number): number {
  return point < 0xd800 ? point : point + 0x800;
}
