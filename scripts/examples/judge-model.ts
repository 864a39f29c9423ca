import { type HostConfig, loadConfig } from '#local/config.ts';
import { type RecordedModel, startRecordedModel } from '../recorded-model/model-server.ts';
import { readRecordings } from '../recorded-model/recordings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The model behind the deployment `judge`, which the examples' Agents name. */
export interface JudgeModel {
  readonly description: string;
  /** Absent when a real provider answers. */
  readonly recorded?: RecordedModel;
  readonly config: HostConfig;
}

/** A provider that the environment configures, else the recorded one. */
export async function chooseJudgeModel(data: string, environment: Environment): Promise<JudgeModel> {
  const fixed = { data, host: '127.0.0.1', port: 0 };
  const configured = await loadConfig(undefined, environment, fixed);
  if (Object.hasOwn(configured.deployments, 'judge')) {
    return { description: 'the deployment `judge` of TOUCHSTONE_DEPLOYMENTS', config: configured };
  }
  const key = environment.OPENAI_API_KEY ?? '';
  const recorded = key === '' ? await startRecordedModel(await readRecordings()) : undefined;
  const base_url = recorded?.url ?? (environment.OPENAI_BASE_URL || 'https://api.openai.com/v1');
  const judge = { provider: 'openai-compatible', base_url, api_key_env: 'OPENAI_API_KEY' };
  const config = await loadConfig(undefined, environment, {
    ...fixed,
    deployments: { ...configured.deployments, judge },
  });
  if (!recorded) return { description: `${base_url} with your OPENAI_API_KEY`, config };
  return { description: 'recorded answers, no network (set OPENAI_API_KEY for a real model)', recorded, config };
}
