/**
 * The state machine of one attempt and of those that follow it (docs/spec/background.md §10), in JSONata. Payloads are
 * references and names (contract/machine.ts): its history may be read by operators.
 *
 *   Claim → Advance → Work (a Map over what is ready) → Advance … → Decide → Deliver
 *
 * A window of more rows than one function counts is read and counted by a distributed Map (Count) before its check is
 * performed.
 *
 * Each step is one conditional write at most, so a repeated step changes nothing. Retries are for the platform's faults
 * only; what a check may try again is the engine's to say.
 */

/** A place that the stack fills in (lib/service/machine.ts). */
function filledIn(name: string): string {
  return `$\{${name}}`;
}

/** Faults of the platform: the call may not have run, or its answer was lost. */
const platformFaults = [
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.TooManyRequestsException',
  'Lambda.Unknown',
  // Ours: a store that gave no answer in all of its own tries.
  'StoreFailure',
];

export const retries = 4;
const retryPlatformFaults = [
  {
    ErrorEquals: platformFaults,
    IntervalSeconds: 1,
    BackoffRate: 2,
    MaxAttempts: retries,
    MaxDelaySeconds: 15,
    JitterStrategy: 'FULL',
  },
];

/** Blocks of one run that are performed at once (docs/spec/verification.md §16.3). */
const blocksAtOnce = 8;

/**
 * A machine's history ends at 25,000 events. Before the work of one more round could reach that, it goes on as another
 * machine. `spent` counts what the rounds so far may have written at most.
 */
export const historyLimit = 25_000;
export const spentLimit = 10_000;
export const eventsOfRound = 40;
export const eventsOfItem = 9;

const toDeadline = (place: string, more: number) =>
  `{% $max([1, $ceil((${place}.deadline - $millis()) / 1000) + ${more}]) %}`;

const onError = [
  { ErrorEquals: ['States.Timeout'], Next: 'TimeOut', Output: {} },
  { ErrorEquals: ['States.ALL'], Next: 'Fail', Output: {} },
];

function call(functionName: string, payload: unknown) {
  return {
    Type: 'Task',
    Resource: `arn:${filledIn('Partition')}:states:::lambda:invoke`,
    Arguments: { FunctionName: functionName, Payload: payload },
    Retry: retryPlatformFaults,
    Output: '{% $states.result.Payload %}',
  };
}

const perform = {
  ...call(filledIn('PerformFunction'), '{% $states.input %}'),
  Output: {},
  // Its own deadline ends a block earlier and better; this one is for a function that does not answer.
  TimeoutSeconds: toDeadline('$states.input.place', 5),
  End: true,
};

/** The first attempt; what comes after it are alarms, and an attempt that never ran is the sweep's. */
const attemptDelivery = {
  ...call(filledIn('DeliverFunction'), '{% $states.input %}'),
  Output: {},
  TimeoutSeconds: 60,
  Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Left', Output: {} }],
  Next: 'Left',
};

/** A Map over the ready items; only items that must pause first pay for the state that waits. */
function workState(pauses: boolean) {
  const pause = { Type: 'Wait', Seconds: '{% $states.input.item.wait_seconds %}', Next: 'Perform' };
  return {
    Type: 'Map',
    Items: '{% $states.input.items %}',
    MaxConcurrency: blocksAtOnce,
    ItemSelector: { place: '{% $place %}', item: '{% $states.context.Map.Item.Value %}' },
    ItemProcessor: {
      ProcessorConfig: { Mode: 'INLINE' },
      ...(pauses
        ? { StartAt: 'Pause', States: { Pause: pause, Perform: perform } }
        : { StartAt: 'Perform', States: { Perform: perform } }),
    },
    Output: {},
    Catch: onError,
    Next: 'Advance',
  };
}

/** Parts of a window that are read or counted at once. */
const partsAtOnce = 20;

/** The shape that Claim reads, from whichever state comes before it. */
const claimAgain = {
  tenant: '{% $place.tenant %}',
  execution_id: '{% $place.execution_id %}',
  round: '{% $round + 1 %}',
};

export const attemptDefinition = {
  Comment: 'One background execution, from claim to settlement',
  QueryLanguage: 'JSONata',
  StartAt: 'Begin',
  States: {
    Begin: {
      Type: 'Choice',
      Choices: [
        {
          Condition: '{% $exists($states.input.place) %}',
          Assign: {
            place: '{% $states.input.place %}',
            round: '{% $states.input.round %}',
            part: '{% $states.input.part %}',
            spent: 0,
          },
          Next: 'Advance',
        },
      ],
      Default: 'Claim',
      Assign: { part: 0, spent: 0 },
    },
    Claim: {
      ...call(filledIn('AdvanceFunction'), {
        step: 'claim',
        input: {
          tenant: '{% $states.input.tenant %}',
          execution_id: '{% $states.input.execution_id %}',
          // One lease a claim, the same when the step is repeated.
          lease:
            "{% $states.context.Execution.Name & '.' & $string($exists($states.input.round) ? $states.input.round : 0) %}",
        },
      }),
      TimeoutSeconds: 60,
      Assign: {
        place: '{% $exists($states.result.Payload.place) ? $states.result.Payload.place : {} %}',
        round: '{% $exists($states.input.round) ? $states.input.round : 0 %}',
      },
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'GiveUp' }],
      Next: 'AfterClaim',
    },
    AfterClaim: {
      Type: 'Choice',
      Choices: [{ Condition: "{% $states.input.next = 'advance' %}", Next: 'Advance' }],
      Default: 'Done',
    },
    Advance: {
      ...call(filledIn('AdvanceFunction'), { step: 'advance', input: '{% $place %}' }),
      TimeoutSeconds: toDeadline('$place', 30),
      Assign: {
        spent: `{% $spent + ${eventsOfRound} + ${eventsOfItem} * $count($states.result.Payload.items) %}`,
      },
      Catch: onError,
      Next: 'AfterAdvance',
    },
    AfterAdvance: {
      Type: 'Choice',
      Choices: [
        { Condition: `{% $states.input.next = 'work' and $spent > ${spentLimit} %}`, Next: 'GoOn' },
        {
          Condition: "{% $states.input.next = 'work' and $max($states.input.items.wait_seconds) > 0 %}",
          Next: 'WorkWithPauses',
        },
        { Condition: "{% $states.input.next = 'count' %}", Next: 'Count' },
        { Condition: "{% $states.input.next = 'work' %}", Next: 'Work' },
        { Condition: "{% $states.input.next = 'decide' %}", Next: 'Decide' },
        { Condition: "{% $states.input.next = 'claim' %}", Next: 'WaitToClaim' },
      ],
      Default: 'Done',
    },
    // Children of their own, so that this machine's history does not grow with the window.
    Count: {
      Type: 'Map',
      Label: 'Count',
      Items: '{% $states.input.parts %}',
      MaxConcurrency: partsAtOnce,
      ItemSelector: { place: '{% $place %}', part: '{% $states.context.Map.Item.Value %}' },
      ItemProcessor: {
        ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' },
        StartAt: 'Perform',
        States: { Perform: perform },
      },
      Output: {},
      // A child's error has no name here: whether its time was over, the clock says.
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'CountFailed', Output: {} }],
      Next: 'Advance',
    },
    CountFailed: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $millis() >= $place.deadline %}', Next: 'TimeOut' }],
      Default: 'Fail',
    },
    Work: workState(false),
    WorkWithPauses: workState(true),
    Decide: {
      ...call(filledIn('SettleFunction'), { step: 'decide', input: '{% $place %}' }),
      // Publication has 30 s of its own inside the lease (docs/spec/background.md §1.4).
      TimeoutSeconds: toDeadline('$place', 45),
      Catch: onError,
      Next: 'AfterDecide',
    },
    AfterDecide: {
      Type: 'Choice',
      Choices: [
        { Condition: "{% $states.input.next = 'advance' %}", Next: 'Advance' },
        { Condition: "{% $states.input.next = 'claim' %}", Next: 'WaitToClaim' },
        { Condition: '{% $exists($states.input.dispatches) %}', Next: 'Deliver' },
      ],
      Default: 'Done',
    },
    Deliver: {
      Type: 'Map',
      Items: '{% $states.input.dispatches %}',
      ItemSelector: {
        tenant: '{% $place.tenant %}',
        execution_id: '{% $place.execution_id %}',
        dispatch_id: '{% $states.context.Map.Item.Value %}',
      },
      ItemProcessor: {
        ProcessorConfig: { Mode: 'INLINE' },
        StartAt: 'Attempt',
        States: { Attempt: attemptDelivery, Left: { Type: 'Succeed' } },
      },
      Output: {},
      Next: 'Done',
    },
    Fail: {
      ...call(filledIn('SettleFunction'), { step: 'fail', input: '{% $place %}' }),
      TimeoutSeconds: 60,
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'GiveUp' }],
      Next: 'AfterEnd',
    },
    TimeOut: {
      ...call(filledIn('SettleFunction'), { step: 'time_out', input: '{% $place %}' }),
      TimeoutSeconds: 60,
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'GiveUp' }],
      Next: 'AfterEnd',
    },
    AfterEnd: {
      Type: 'Choice',
      Choices: [{ Condition: "{% $states.input.next = 'claim' %}", Next: 'WaitToClaim' }],
      Default: 'Done',
    },
    WaitToClaim: {
      Type: 'Wait',
      // While capacity is refused again and again, the pauses grow to a minute.
      Seconds: '{% $max([$states.input.wait_seconds, $min([60, $floor($round * $round / 4)])]) %}',
      Output: claimAgain,
      Next: 'Claim',
    },
    GoOn: {
      Type: 'Task',
      Resource: `arn:${filledIn('Partition')}:states:::states:startExecution`,
      Arguments: {
        StateMachineArn: '{% $states.context.StateMachine.Id %}',
        Name: "{% $substringBefore($states.context.Execution.Name, '.') & '.' & $string($part + 1) & '.' & $string($place.attempt) %}",
        Input: { place: '{% $place %}', round: '{% $round %}', part: '{% $part + 1 %}' },
      },
      Retry: [{ ErrorEquals: ['StepFunctions.ExecutionAlreadyExistsException'], MaxAttempts: 0 }, ...retryAny()],
      Catch: [
        { ErrorEquals: ['StepFunctions.ExecutionAlreadyExistsException'], Next: 'Done' },
        { ErrorEquals: ['States.ALL'], Next: 'Fail', Output: {} },
      ],
      Next: 'Done',
    },
    // The lease lapses and the sweep brings the execution back; the machine's failure rings an alarm.
    GiveUp: { Type: 'Fail', Error: 'Touchstone.StepUnavailable', Cause: 'a step could not be called' },
    Done: { Type: 'Succeed' },
  },
};

function retryAny() {
  return [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 1, BackoffRate: 2, MaxAttempts: 3 }];
}
