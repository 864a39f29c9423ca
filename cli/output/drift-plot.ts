import { isJsonObject } from '#contract/cards/shared.ts';
import type { Json, JsonObject } from '#contract/json.ts';
import type { Paint } from '../terminal.ts';
import { printable } from './printable.ts';

/** One feature of a drift report, ready to be drawn (docs/spec/background.md §6.9). */
export interface FeaturePlot {
  readonly feature: string;
  readonly score: number;
  readonly threshold: number;
  readonly verdict: string;
  /** Shares of baseline and window; empty where the method has no bins. */
  readonly bins: readonly { readonly label: string; readonly baseline: number; readonly window: number }[];
  /** Control limits of SPC, by chart. */
  readonly charts: readonly { readonly name: string; readonly text: string }[];
}

/** Null: the report scored nothing. */
export function featurePlots(report: Json | undefined): readonly FeaturePlot[] {
  const features = isJsonObject(report ?? null) ? (report as JsonObject).features : undefined;
  return Object.values(isJsonObject(features ?? null) ? (features as JsonObject) : {})
    .filter((feature) => isJsonObject(feature))
    .map((feature) => toPlot(feature as JsonObject));
}

function toPlot({ feature, score, threshold, verdict, evidence }: JsonObject): FeaturePlot {
  const held = isJsonObject(evidence ?? null) ? (evidence as JsonObject) : {};
  const psi = isJsonObject(held.Psi ?? null) ? (held.Psi as JsonObject) : {};
  const spc = isJsonObject(held.Spc ?? null) ? (held.Spc as JsonObject) : {};
  return {
    feature: String(feature),
    score: Number(score),
    threshold: Number(threshold),
    verdict: String(verdict),
    bins: (Array.isArray(psi.bins) ? (psi.bins as unknown as readonly JsonObject[]) : []).map(toBar),
    charts: (['x_bar', 's'] as const).flatMap((name) => {
      const limits = spc[name];
      return isJsonObject(limits ?? null) ? [{ name, text: limitsText(limits as JsonObject) }] : [];
    }),
  };
}

function toBar({ bin, target_proportion }: JsonObject) {
  const { lower, upper, categorical_value, proportion } = bin as JsonObject;
  return {
    label: labelOf(lower, upper, categorical_value),
    baseline: Number(proportion),
    window: Number(target_proportion),
  };
}

function labelOf(lower: Json | undefined, upper: Json | undefined, category: Json | undefined): string {
  if (typeof category === 'string') return category;
  if (upper === null || upper === undefined) return 'other';
  if (upper === 'inf') return lower === '-inf' ? 'all' : `> ${short(lower)}`;
  return `≤ ${short(upper)}`;
}

function short(value: Json | undefined): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(4))) : String(value);
}

function limitsText({ center, lower, upper, signals }: JsonObject): string {
  return `${short(lower)} … ${short(center)} … ${short(upper)}, ${signals} outside`;
}

const width = 28;

/** Baseline against window, bin by bin, for a console. */
export function plotText(plots: readonly FeaturePlot[], paint: Paint): string {
  return plots.map((plot) => featureText(plot, paint)).join('\n');
}

function featureText({ feature, score, threshold, verdict, bins, charts }: FeaturePlot, paint: Paint): string {
  const isDrift = verdict === 'Drift';
  const sign = isDrift ? '>' : '≤';
  const head = `${printable(feature)}  ${short(score)} ${sign} ${short(threshold)}  ${verdict}`;
  const lines = [paint(isDrift ? 'red' : 'green', head)];
  const labels = bins.map(({ label }) => printable(label).slice(0, 20));
  const longest = Math.max(0, ...labels.map(({ length }) => length));
  const most = Math.max(...bins.flatMap(({ baseline, window }) => [baseline, window]), Number.MIN_VALUE);
  for (const [index, { baseline, window }] of bins.entries()) {
    const label = (labels[index] ?? '').padStart(longest);
    lines.push(`  ${label}  ${bar(baseline / most, '░')} ${percent(baseline)} baseline`);
    lines.push(`  ${' '.repeat(longest)}  ${paint('cyan', bar(window / most, '█'))} ${percent(window)} window`);
  }
  for (const { name, text } of charts) lines.push(`  ${name.padEnd(5)}  ${text}`);
  return `${lines.join('\n')}\n`;
}

function bar(share: number, mark: string): string {
  return mark.repeat(Math.round(share * width)).padEnd(width);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1).padStart(5)} %`;
}
