/** When an object or a file was stored last, for garbage collection; what was there before counts from the migration on. */
export const ageOfObjects = `
ALTER TABLE holdfast.objects ADD COLUMN stored_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE holdfast.files ADD COLUMN stored_at timestamptz NOT NULL DEFAULT now();
`;
