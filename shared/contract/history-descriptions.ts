/** Of the audit log and of exports. */
export const historyDescriptions = {
  AuditEntry: {
    action: 'Whether the record was created, changed or deleted.',
    actor: 'Who made the change; null for the operator.',
    cause: 'The request that caused the change, also where a worker made it. Null where no request did.',
    changes: 'The changed fields, each before and after. A value that is not there is null.',
    from: 'The value before the change.',
    id: 'The id of the entry.',
    recordId: 'The id of the record that was changed.',
    recordType: 'What was changed.',
    requestId: 'The `x-request-id` of the request.',
    to: 'The value after the change.',
  },
  Export: {
    id: 'The id of the export.',
    status:
      'REQUESTED and RUNNING: the file is being made. DONE: it can be downloaded until `expiresAt`. FAILED: there is none.',
    finishedAt: 'When it was DONE or FAILED.',
  },
} as const;
