import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseTransferMode,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from '../constructs/acknowledge.ts';
import { addAlarm, alarmPeriod } from '../constructs/alarms.ts';
import type { FunctionContext, HouseFunction } from '../constructs/house-function.ts';
import type { Settings } from '../settings.ts';

export interface ApiFunctions {
  readonly verify: HouseFunction;
  readonly submit: HouseFunction;
  /** Every other route. */
  readonly api: HouseFunction;
}

/** Above the 60 s of one `execute` (docs/spec/wire.md §1.6). */
const integrationTimeout = Duration.seconds(65);
const stageName = 'live';

/**
 * The front door: REGIONAL, since an edge-optimized endpoint cuts a silent answer after 30 s; every route streams, since
 * a buffered one ends at 6 MB and 29 s; every body is binary, so that it arrives byte for byte.
 */
export class FrontDoor extends Construct {
  readonly api: RestApi;
  /** Without a final slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, context: FunctionContext, settings: Settings, functions: ApiFunctions) {
    super(scope, id);
    this.api = new RestApi(this, 'Api', {
      restApiName: settings.name,
      description: 'Touchstone',
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      binaryMediaTypes: ['*/*'],
      cloudWatchRole: false,
      defaultIntegration: streaming(functions.api),
      ...domainOptions(this, settings),
      ...corsOptions(settings),
      deployOptions: {
        stageName,
        tracingEnabled: true,
        metricsEnabled: true,
        throttlingRateLimit: settings.requests_per_second,
        throttlingBurstLimit: settings.requests_per_second * 2,
        loggingLevel: MethodLoggingLevel.OFF,
        accessLogDestination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLogs', {
            retention: context.logRetention,
            removalPolicy: RemovalPolicy.DESTROY,
          }),
        ),
        accessLogFormat: accessLogFormat(),
      },
    });
    this.#route('v1/verification/execute', 'POST', functions.verify);
    this.#route('v1/verification/enqueue', 'POST', functions.submit);
    this.#route('v1/verification/executions/{execution_id}/cancel', 'POST', functions.submit);
    this.#route('v1/verification/executions/{execution_id}/replay', 'POST', functions.submit);
    this.#route('v1/verification/executions/{execution_id}/erase', 'POST', functions.submit);
    this.#route('v1/records/verify', 'POST', functions.verify);
    // Reading checkpoints needs no key; closing one does.
    this.#route('v1/checkpoints', 'POST', functions.verify);
    this.#route('v1/checkpoints', 'GET', functions.api);
    this.api.root.addProxy({ anyMethod: true });
    this.url = settings.domain === undefined ? this.api.url.replace(/\/$/, '') : `https://${settings.domain}`;
    this.#alarms(context);
    this.#acknowledgements();
  }

  #route(path: string, method: string, target: HouseFunction): void {
    this.api.root.resourceForPath(path).addMethod(method, streaming(target));
  }

  #alarms(context: FunctionContext): void {
    addAlarm(this, 'ServerErrors', context, {
      metric: this.api.metricServerError({ period: alarmPeriod, statistic: 'Sum' }),
      threshold: 5,
      errorImpact: 'Callers are answered with 5xx: verifications fail or must be repeated.',
      entry: 'api-server-errors',
    });
    addAlarm(this, 'SlowAnswers', context, {
      metric: this.api.metricLatency({ period: alarmPeriod, statistic: 'p99' }),
      threshold: 55_000,
      periods: 3,
      errorImpact: 'The slowest verifications come close to their 60 s deadline and soon end without a verdict.',
      entry: 'api-slow-answers',
    });
  }

  #acknowledgements(): void {
    acknowledge(this, {
      'AwsSolutions-APIG2': 'Requests are checked by the application, which names every bad field of a body.',
      'AwsSolutions-APIG3': 'A web ACL is the choice of the account; docs/deploy.md says how to add one.',
      'AwsSolutions-APIG4': 'The application authenticates every route itself; tokens are its own.',
      'AwsSolutions-APIG6': 'The access log holds each call; execution logs could hold evidence.',
      'AwsSolutions-COG4': 'The application authenticates every route itself; tokens are its own.',
    });
  }
}

function streaming(target: HouseFunction): LambdaIntegration {
  return new LambdaIntegration(target.function, {
    proxy: true,
    responseTransferMode: ResponseTransferMode.STREAM,
    timeout: integrationTimeout,
    // One permission for the whole API in place of one a method.
    scopePermissionToMethod: false,
  });
}

/** Who called what and how it ended; no body, no query, no token. */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      request_id: '$context.requestId',
      at: '$context.requestTime',
      source_ip: '$context.identity.sourceIp',
      method: '$context.httpMethod',
      resource: '$context.resourcePath',
      status: '$context.status',
      latency_ms: '$context.responseLatency',
      integration_error: '$context.integrationErrorMessage',
    }),
  );
}

function domainOptions(scope: Construct, settings: Settings) {
  if (settings.domain === undefined || settings.certificate === undefined) return {};
  return {
    domainName: {
      domainName: settings.domain,
      certificate: Certificate.fromCertificateArn(scope, 'Certificate', settings.certificate),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    },
  };
}

function corsOptions(settings: Settings) {
  if (settings.cors_origins.length === 0) return {};
  return {
    defaultCorsPreflightOptions: {
      allowOrigins: [...settings.cors_origins],
      allowMethods: ['GET', 'POST', 'PUT', 'DELETE'],
      allowHeaders: [
        'authorization',
        'content-type',
        'idempotency-key',
        'traceparent',
        'tracestate',
        'wyrd-request-id',
        'x-wyrd-access-token',
        'x-wyrd-workload-uid',
      ],
      maxAge: Duration.hours(1),
    },
  };
}
