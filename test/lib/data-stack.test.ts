import { describe, expect, it } from 'vitest';
import { tableDefinitions } from '#contract/aws-tables.ts';
import { resourcesOf, synthesizeData } from './synthesized.ts';

const data = synthesizeData();

describe('data stack', () => {
  it('keeps everything that it makes when it is deleted', () => {
    const kinds = ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret', 'AWS::KMS::Key'];
    const kept = kinds.flatMap((kind) => resourcesOf(data, kind));
    expect(kept.length).toBe(6 + 4 + 2 + 2);
    for (const { id, all } of kept) {
      expect([id, all.DeletionPolicy, all.UpdateReplacePolicy]).toEqual([id, 'Retain', 'Retain']);
    }
  });

  it('has each table of the contract with its keys, indexes, expiry and recovery to a point in time', () => {
    const tables = resourcesOf(data, 'AWS::DynamoDB::GlobalTable');
    for (const [key, definition] of Object.entries(tableDefinitions)) {
      const table = tables.find(({ id }) => id.toLowerCase().startsWith(`${key}table`))?.properties;
      expect(table.KeySchema[0]).toEqual({ AttributeName: definition.partitionKey, KeyType: 'HASH' });
      expect(table.KeySchema.length).toBe(definition.sortKey === null ? 1 : 2);
      const names = (table.GlobalSecondaryIndexes ?? []).map(({ IndexName }: { IndexName: string }) => IndexName);
      expect(names.sort()).toEqual(definition.indexes.map(({ name }) => name).sort());
      expect(table.TimeToLiveSpecification?.AttributeName ?? null).toBe(definition.ttlAttribute);
      expect(table.Replicas[0].PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true);
      expect(table.Replicas[0].DeletionProtectionEnabled).toBe(true);
      expect(table.StreamSpecification !== undefined).toBe(definition.stream);
    }
  });

  it('encrypts each bucket, closes it to the public, and answers over TLS only', () => {
    const policies = resourcesOf(data, 'AWS::S3::BucketPolicy');
    for (const { id, properties } of resourcesOf(data, 'AWS::S3::Bucket')) {
      expect(properties.BucketEncryption.ServerSideEncryptionConfiguration).toHaveLength(1);
      expect(Object.values(properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
      const policy = policies.find((one) => one.properties.Bucket.Ref === id)?.properties.PolicyDocument.Statement;
      expect(policy).toContainEqual(
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      );
    }
  });

  it('versions what callers wrote, and forgets what was only carried', () => {
    const buckets = resourcesOf(data, 'AWS::S3::Bucket');
    const values = buckets.find(({ id }) => id.startsWith('Values'))?.properties;
    const evidence = buckets.find(({ id }) => id.startsWith('Evidence'))?.properties;
    for (const bucket of [values, evidence]) expect(bucket.VersioningConfiguration.Status).toBe('Enabled');
    expect(values.LifecycleConfiguration.Rules).toContainEqual(
      expect.objectContaining({ Prefix: 'calls/', ExpirationInDays: 1 }),
    );
    expect(evidence.LifecycleConfiguration.Rules).toContainEqual(expect.objectContaining({ ExpirationInDays: 400 }));
  });

  it('locks records when asked to, and only then', () => {
    expect(resourcesOf(data, 'AWS::S3::Bucket').some(({ properties }) => properties.ObjectLockEnabled)).toBe(false);
    const locked = synthesizeData({ object_lock: 'compliance', object_lock_days: 30 });
    const [bucket] = resourcesOf(locked, 'AWS::S3::Bucket').filter(({ properties }) => properties.ObjectLockEnabled);
    expect(bucket?.id).toMatch(/^Records/);
    expect(bucket?.properties.ObjectLockConfiguration.Rule.DefaultRetention).toEqual({ Days: 30, Mode: 'COMPLIANCE' });
  });

  it('signs with a key of the curve that records are signed with', () => {
    const [key] = resourcesOf(data, 'AWS::KMS::Key');
    expect(key?.properties).toMatchObject({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' });
  });
});
