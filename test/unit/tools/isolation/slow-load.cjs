/** A module that takes longer to load than the job in it may run. */
const end = Date.now() + 1500;
while (Date.now() < end);
exports.answer = () => 'done';
