import type { FeaturePlot } from './drift-plot.ts';
import { printable } from './printable.ts';

const [barHeight, gap, left, chart] = [9, 10, 130, 420];

/** Baseline against window as SVG 1.1; every text is escaped, nothing is loaded. */
export function plotSvg(plots: readonly FeaturePlot[]): string {
  const blocks: string[] = [];
  let top = 0;
  for (const plot of plots) {
    blocks.push(`<g transform="translate(0 ${top})">${featureSvg(plot)}</g>`);
    top += heightOf(plot);
  }
  const width = left + chart + 80;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + 10}" font-family="sans-serif" font-size="11">\n${blocks.join('\n')}\n</svg>\n`;
}

function heightOf({ bins, charts }: FeaturePlot): number {
  return 40 + bins.length * (2 * barHeight + gap) + charts.length * 18;
}

function featureSvg({ feature, score, threshold, verdict, bins, charts }: FeaturePlot): string {
  const color = verdict === 'Drift' ? '#b00020' : '#1b6e3c';
  const sign = verdict === 'Drift' ? '&gt;' : '≤';
  const head = `${escapeText(feature)} ${round(score)} ${sign} ${round(threshold)} ${escapeText(verdict)}`;
  const most = Math.max(...bins.flatMap(({ baseline, window }) => [baseline, window]), Number.MIN_VALUE);
  const rows = bins.map(({ label, baseline, window }, index) => {
    const y = 30 + index * (2 * barHeight + gap);
    return [
      `<text x="${left - 8}" y="${y + barHeight + 4}" text-anchor="end">${escapeText(label)}</text>`,
      bar(y, baseline / most, '#b8bcc2', baseline),
      bar(y + barHeight, window / most, '#2864c7', window),
    ].join('');
  });
  const limits = charts.map(
    ({ name, text }, index) => `<text x="10" y="${40 + index * 18}">${escapeText(`${name}: ${text}`)}</text>`,
  );
  return `<text x="10" y="18" font-weight="bold" fill="${color}">${head}</text>${[...rows, ...limits].join('')}`;
}

function bar(y: number, share: number, fill: string, value: number): string {
  const length = Math.round(share * chart);
  const text = `<text x="${left + length + 5}" y="${y + barHeight - 1}" font-size="9">${(value * 100).toFixed(1)} %</text>`;
  return `<rect x="${left}" y="${y}" width="${length}" height="${barHeight - 1}" fill="${fill}"/>${text}`;
}

function round(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function escapeText(text: string): string {
  return printable(text).replaceAll(/[&<>"]/g, (mark) => `&#${mark.codePointAt(0)};`);
}
