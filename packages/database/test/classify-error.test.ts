import { expect, it } from '@jest/globals';
import { LongshoreError } from '@longshore/core';
import { classifyError, sqlState } from '../src/connection/classify-error.ts';

const SERVER = '127.0.0.1:5432/longshore';
const withCode = (code: string, message = 'it broke'): Error =>
  Object.assign(new Error(message), { code });
const classify = (error: unknown): LongshoreError => classifyError(error, 'claim-tasks', SERVER);

it.each([
  '08006', // connection failure
  '25006', // read-only
  '28P01', // wrong password
  '3D000', // no such database
  '40P01', // deadlock
  '53300', // too many connections
  '55P03', // lock not available
  '57014', // statement time-out
  '57P01', // admin shutdown
  '57P03', // starting up
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'ETIMEDOUT',
  'P1001',
])('calls %s DATABASE_UNAVAILABLE, which is retryable, and tells operators what to do', (code) => {
  const error = classify(withCode(code));
  expect(error).toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryable: true });
  expect(error.message).toBe('The database did not answer. Try again.');
  expect(error.diagnosis).toContain(SERVER);
  expect(error.diagnosis).toContain('claim-tasks: it broke. If it lasts, check DATABASE_URL');
});

it.each([
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'The server does not support SSL connections',
  'self-signed certificate in certificate chain',
])('knows the errors of pg that have no code: %s', (message) => {
  expect(classify(new Error(message)).code).toBe('DATABASE_UNAVAILABLE');
});

it.each(['22021', '22P05'])('blames the text for %s', (code) => {
  expect(classify(withCode(code))).toMatchObject({ code: 'INVALID_PARAMS', retryable: false });
});

it.each(['42601', '23505', '22003', 'ERR_SOMETHING'])('calls %s a defect', (code) => {
  const error = classify(withCode(code));
  expect(error).toMatchObject({ code: 'INTERNAL', retryable: false });
  expect([error.message, error.diagnosis]).toEqual([
    'A defect of this server.',
    'claim-tasks failed: it broke',
  ]);
});

it('tells operators when the tables are missing', () => {
  const { message, diagnosis } = classify(withCode('42P01', 'relation "tasks" does not exist'));
  expect(diagnosis).toContain('Run the migrations');
  expect(message).toBe('A defect of this server.');
});

it('says that the database was closed', () => {
  const error = classify(new Error('Cannot use a pool after calling end on the pool'));
  expect(error.code).toBe('SHUTTING_DOWN');
});

it('finds the SQLSTATE that Prisma wrapped', () => {
  const driver = { name: 'DriverAdapterError', cause: { originalCode: '57P01', kind: 'postgres' } };
  const wrapped = {
    name: 'PrismaClientKnownRequestError',
    code: 'P2010',
    meta: { driverAdapterError: driver },
  };
  expect(sqlState(driver)).toBe('57P01');
  expect(sqlState(wrapped)).toBe('57P01');
  expect(classify(wrapped).code).toBe('DATABASE_UNAVAILABLE');
});

it('finds the broken connection that Prisma wrapped', () => {
  const driver = { name: 'DriverAdapterError', cause: { kind: 'DatabaseNotReachable' } };
  const wrapped = { code: 'P2010', meta: { driverAdapterError: driver } };
  expect(sqlState(wrapped)).toBeNull();
  expect(classify(wrapped).code).toBe('DATABASE_UNAVAILABLE');
});

it('leaves an error of ours as it is, and survives what is no error', () => {
  const ours = new LongshoreError('TASK_NOT_FOUND', 'no');
  expect(classify(ours)).toBe(ours);
  expect(classify('a string').code).toBe('INTERNAL');
  expect(classify(null).code).toBe('INTERNAL');
});

it('keeps the cause for operators, and nothing for clients', () => {
  const cause = withCode('57P01');
  expect(classify(cause)).toMatchObject({ cause, details: undefined });
});
