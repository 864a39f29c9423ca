/** Any JSON value. Numbers are finite doubles; text holds no lone surrogate (docs/spec/verification.md §3.3). */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}
