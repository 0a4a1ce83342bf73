/** Of the audit log, exports, erasures and links to the portal. */
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
  PortalLink: {
    affiliateId: 'The affiliate whom the address signs in.',
    expiresAt: 'Until when the address can be used.',
    url: 'The address to open, once.',
  },
  Export: {
    id: 'The id of the export.',
    status:
      'REQUESTED and RUNNING: the file is being made. DONE: it can be downloaded until `expiresAt`. FAILED: there is none.',
    finishedAt: 'When it was DONE or FAILED.',
  },
  Erasure: {
    affiliates: 'Affiliates, of whom there is at most one with an email.',
    deletedRecords: 'What is kept of records that were deleted, for their events.',
    auditEntries: 'Entries of the audit log.',
    deliveries: 'Deliveries in which an endpoint had repeated something of the person.',
    email: 'The email of the person, case-insensitive.',
    endedAt: 'When all was erased; null before. What a request in flight has written is erased within a minute.',
    erased: 'How many items of each kind were erased so far.',
    events: 'Events that were about the person, or mentioned them.',
    id: 'The id of the erasure.',
    links: 'Links of the affiliate.',
    promotionalCodes: 'Codes of the affiliate, and those that were limited to the customer.',
    records: 'How many records were erased so far, with deleted ones.',
    referrals: 'Referrals with the email.',
    remains: 'What the erasure cannot reach, in sentences.',
    sales: 'Sales to the customer.',
    status: 'Whether the work in the background has ended.',
  },
} as const;
