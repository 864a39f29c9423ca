import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { attemptDefinition } from '../../lib/machine/definition.ts';
import { type Resource, resourcesOf, synthesize } from './synthesized.ts';

const { service, stacks } = synthesize();
const { functions } = stacks.service;
const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');

/** Statements of the policies of one function's role. */
function statementsOf(name: string): readonly { Effect: string; Action: unknown; Resource: unknown }[] {
  return resourcesOf(service, 'AWS::IAM::Policy')
    .filter(({ id }) => id.startsWith(`${name}Role`))
    .flatMap(({ properties }) => properties.PolicyDocument.Statement);
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const logical = (name: string, list: readonly Resource[]) => list.find(({ id }) => id.startsWith(name));

describe('functions', () => {
  const made = resourcesOf(service, 'AWS::Lambda::Function');

  it('are all the ones that the stack names, and no other', () => {
    expect(made).toHaveLength(Object.keys(functions).length);
    expect(Object.keys(functions)).toHaveLength(14);
  });

  it.each(made)('$id runs Node 24 on arm64 and logs JSON into a group of its own', ({ properties }) => {
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      LoggingConfig: { LogFormat: 'JSON', LogGroup: expect.anything() },
    });
  });

  it('keep their log lines as long as the setting says', () => {
    for (const { properties } of resourcesOf(service, 'AWS::Logs::LogGroup')) {
      expect(properties.RetentionInDays).toBe(90);
    }
  });

  it.each(Object.keys(functions))('%s may do only what it names', (name) => {
    const statements = statementsOf(name.charAt(0).toUpperCase() + name.slice(1));
    expect(statements.length).toBeGreaterThan(0);
    for (const { Effect, Action } of statements) {
      if (Effect === 'Deny') continue;
      for (const action of asList(Action)) expect(action).toMatch(/^[a-z0-9]+:[A-Za-z]+$/);
    }
  });

  it('reach all resources of a service only where it has none to name', () => {
    const all = Object.keys(functions).flatMap((name) => statementsOf(name.charAt(0).toUpperCase() + name.slice(1)));
    const open = all.filter(({ Effect, Resource }) => Effect === 'Allow' && asList(Resource).includes('*'));
    const actions = new Set(open.flatMap(({ Action }) => asList(Action)));
    const unnamed = /^(xray:Put|ec2:(Create|Describe|Delete|Assign|Unassign)|dynamodb:ListStreams)/;
    expect([...actions].filter((action) => !unnamed.test(String(action)))).toEqual([]);
  });

  it('the sandbox may log, be attached to its subnets, and nothing else; its code not even that', () => {
    const statements = statementsOf('Sandbox');
    const services = (effect: string) =>
      new Set(
        statements
          .filter(({ Effect }) => Effect === effect)
          .flatMap(({ Action }) => asList(Action).map((action) => String(action).split(':')[0])),
      );
    expect([...services('Allow')].sort()).toEqual(['ec2', 'logs']);
    expect([...services('Deny')]).toEqual(['ec2']);
    const { VpcConfig, Environment } = logical('Sandbox', made)?.properties ?? {};
    expect(VpcConfig.SubnetIds.length).toBeGreaterThan(0);
    expect(Environment).toBeUndefined();
  });

  it('the sandbox stands in a network without a way out', () => {
    for (const type of ['InternetGateway', 'NatGateway', 'Route', 'VPCEndpoint', 'EgressOnlyInternetGateway']) {
      expect([type, resourcesOf(service, `AWS::EC2::${type}`)]).toEqual([type, []]);
    }
    const [group] = resourcesOf(service, 'AWS::EC2::SecurityGroup');
    expect(group?.properties.SecurityGroupEgress).toEqual([
      expect.objectContaining({ CidrIp: '255.255.255.255/32', Description: 'Disallow all traffic' }),
    ]);
    expect(group?.properties.SecurityGroupIngress).toBeUndefined();
  });

  it('only the models function reads keys of providers', () => {
    const secret = 'arn:aws:secretsmanager:eu-west-1:111111111111:secret:judge-AbCdEf';
    const route = { provider: 'anthropic', base_url: 'https://api.example.com', api_key_secret: secret };
    const routed = synthesize({ deployments: { judge: route } }).service;
    const readers = resourcesOf(routed, 'AWS::IAM::Policy').filter(({ properties }) =>
      JSON.stringify(properties).includes(secret),
    );
    expect(readers.map(({ id }) => id.replace(/Role.*/, ''))).toEqual(['Models']);
  });

  it('fit their limits: the API below 1.5 MB of script', () => {
    expect(functions.api.script_bytes).toBeLessThan(1_500_000);
    // They have the clients that start work besides.
    for (const name of ['submit', 'sweep', 'ring'] as const) {
      expect([name, functions[name].script_bytes < 1_900_000]).toEqual([name, true]);
    }
    for (const name of ['advance', 'settle', 'deliver', 'keys'] as const) {
      expect(functions[name].script_bytes).toBeLessThan(1_500_000);
    }
  });

  it('reserve concurrency where it is asked for', () => {
    const reserved = synthesize({ reserved_concurrency: { sandbox: 7 } }).service;
    const sandbox = logical('SandboxFunction', resourcesOf(reserved, 'AWS::Lambda::Function'));
    expect(sandbox?.properties.ReservedConcurrentExecutions).toBe(7);
  });
});

describe('alarms', () => {
  const alarms = resourcesOf(service, 'AWS::CloudWatch::Alarm');

  it('stand for each function', () => {
    const watched = alarms.flatMap(({ properties }) =>
      (properties.Dimensions ?? [])
        .filter(({ Name }: { Name: string }) => Name === 'FunctionName')
        .map(({ Value }: { Value: { Ref: string } }) => Value.Ref),
    );
    expect(watched.sort()).toEqual(
      resourcesOf(service, 'AWS::Lambda::Function')
        .map(({ id }) => id)
        .sort(),
    );
  });

  it.each(alarms)('$id says who is hurt and links to its entry of the runbook', ({ properties }) => {
    const [, entry] = /^[A-Z].+\. Runbook: docs\/runbook\.md#([a-z-]+)$/.exec(properties.AlarmDescription) ?? [];
    const headings = runbook.split('\n').flatMap((line) => (line.startsWith('## ') ? [line.slice(3)] : []));
    expect(headings).toContain(entry);
    expect(properties.AlarmActions).toHaveLength(1);
  });

  it('are as many as the cost page counts', () => {
    const cost = readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8');
    expect(cost).toContain(`| ${alarms.length} alarms |`);
  });

  it('are sent to the address that was given', () => {
    const told = synthesize({ alarm_email: 'ops@example.com' }).service;
    const [subscription] = resourcesOf(told, 'AWS::SNS::Subscription');
    expect(subscription?.properties).toMatchObject({ Protocol: 'email', Endpoint: 'ops@example.com' });
  });
});

describe('front door', () => {
  const [api] = resourcesOf(service, 'AWS::ApiGateway::RestApi');

  it('is regional and takes every body as bytes', () => {
    expect(api?.properties).toMatchObject({
      EndpointConfiguration: { Types: ['REGIONAL'] },
      BinaryMediaTypes: ['*/*'],
    });
  });

  it('streams every answer and waits longer than a verification lasts', () => {
    const methods = resourcesOf(service, 'AWS::ApiGateway::Method');
    expect(methods.length).toBeGreaterThanOrEqual(5);
    for (const { id, properties } of methods) {
      expect([id, properties.Integration.ResponseTransferMode, properties.Integration.TimeoutInMillis]).toEqual([
        id,
        'STREAM',
        65_000,
      ]);
      expect(JSON.stringify(properties.Integration.Uri)).toContain('/response-streaming-invocations');
    }
  });

  it('takes a domain of the account', () => {
    const certificate = 'arn:aws:acm:eu-west-1:111111111111:certificate/abc';
    const named = synthesize({ domain: 'verify.example.com', certificate }).service;
    const [domain] = resourcesOf(named, 'AWS::ApiGateway::DomainName');
    expect(domain?.properties).toMatchObject({ DomainName: 'verify.example.com', SecurityPolicy: 'TLS_1_2' });
    expect(named.findOutputs('Endpoint').Endpoint?.Value).toBe('https://verify.example.com');
  });

  it('answers preflights for the origins that were given', () => {
    const open = synthesize({ cors_origins: 'https://console.example.com' }).service;
    const preflights = resourcesOf(open, 'AWS::ApiGateway::Method').filter(
      ({ properties }) => properties.HttpMethod === 'OPTIONS',
    );
    expect(preflights.length).toBeGreaterThan(0);
  });
});

describe('background', () => {
  it('runs the machine as it is written, with its content out of the log', () => {
    const [machine] = resourcesOf(service, 'AWS::StepFunctions::StateMachine');
    expect(JSON.parse(machine?.properties.DefinitionString)).toEqual(JSON.parse(JSON.stringify(attemptDefinition)));
    expect(machine?.properties).toMatchObject({
      StateMachineType: 'STANDARD',
      LoggingConfiguration: { IncludeExecutionData: false, Level: 'ALL' },
      TracingConfiguration: { Enabled: true },
    });
  });

  it('keeps what failed for good where an alarm sees it', () => {
    for (const { properties } of resourcesOf(service, 'AWS::SQS::Queue')) {
      expect(properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 });
    }
    expect(resourcesOf(service, 'AWS::SQS::Queue')).toHaveLength(4);
  });

  it('keeps the names of attempts that did not come to their end', () => {
    const [rule] = resourcesOf(service, 'AWS::Events::Rule');
    expect(rule?.properties.EventPattern).toMatchObject({
      source: ['aws.states'],
      detail: { stateMachineArn: [expect.anything()], status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
    });
    expect(JSON.stringify(rule?.properties.Targets)).toContain('AttemptDeadLetters');
  });

  it('sweeps once a minute', () => {
    const [schedule] = resourcesOf(service, 'AWS::Scheduler::Schedule');
    expect(schedule?.properties.ScheduleExpression).toBe('rate(1 minute)');
  });

  it('hands out where it is, and where its first key is', () => {
    for (const name of ['Endpoint', 'AdminKeySecret', 'KeysUrl']) {
      expect(Object.keys(service.findOutputs(name))).toEqual([name]);
    }
  });
});
