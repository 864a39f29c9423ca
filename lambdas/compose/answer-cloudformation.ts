import type { CloudFormationCustomResourceEvent } from 'aws-lambda';

/** Tells CloudFormation how a custom resource ended: without this a deployment waits for an hour. */
export async function answerCloudFormation(
  event: CloudFormationCustomResourceEvent,
  act: () => Promise<{ readonly id: string }>,
): Promise<void> {
  const { StackId, RequestId, LogicalResourceId } = event;
  const known = 'PhysicalResourceId' in event ? event.PhysicalResourceId : 'none';
  const about = { StackId, RequestId, LogicalResourceId };
  let answer: object;
  try {
    const { id } = await act();
    answer = { ...about, Status: 'SUCCESS', PhysicalResourceId: id };
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown';
    answer = { ...about, Status: 'FAILED', PhysicalResourceId: known, Reason: `${reason}: see the function's log` };
  }
  const response = await fetch(event.ResponseURL, { method: 'PUT', body: JSON.stringify(answer) });
  if (!response.ok) throw new Error(`CloudFormation took no answer: ${response.status}`);
}

export function isCloudFormation(event: unknown): event is CloudFormationCustomResourceEvent {
  return typeof event === 'object' && event !== null && 'RequestType' in event && 'ResponseURL' in event;
}
