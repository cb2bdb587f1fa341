/** 200 tools in 12 groups, as a company that grew might have them; and what people would say who need one of them. */
import { z } from 'zod';
import { defineTool } from '../../../../src/tools/define/define';
import type { Tool } from '../../../../src/tools/define/tool';

/** group → `name: what it does` */
const TOOLS: Record<string, string> = {
  crm: `find_contact: Looks up a person among the customers by name, company or e-mail address.
create_contact: Adds a person to the customer database.
update_contact: Changes the phone number, address or role of a person in the customer database.
merge_contacts: Joins two records of the same person into one.
list_deals: Lists open sales opportunities with stage and amount.
get_deal: Shows one sales opportunity with its history.
create_deal: Opens a sales opportunity for an account.
move_deal_stage: Moves a sales opportunity to another stage of the pipeline.
forecast_pipeline: Adds up the weighted value of open opportunities by quarter.
log_sales_call: Records what was said in a phone conversation with a customer.
list_accounts: Lists companies that buy from us, with owner and region.
assign_account_owner: Gives an account to another sales representative.
find_duplicates: Finds customer records that look like the same person.
export_contacts: Writes customer records to a CSV file.
score_lead: Says how likely a prospect is to buy.
list_campaigns: Lists marketing campaigns with their reach and response.
unsubscribe_contact: Takes a person off all marketing mailings.`,
  billing: `create_invoice: Draws up an invoice for a customer from line items.
send_invoice: Mails an invoice to its customer.
get_invoice: Shows one invoice with its lines and payments.
list_overdue_invoices: Lists invoices that are past their due date and unpaid.
void_invoice: Cancels an invoice that was issued by mistake.
issue_refund: Pays money back to a customer's card or account.
create_credit_note: Writes off part of an invoice with a credit note.
list_payments: Lists payments that came in during a period.
match_payment: Assigns a bank payment to the invoice that it settles.
set_payment_terms: Changes how many days a customer has to pay.
create_subscription: Starts a recurring plan for a customer.
cancel_subscription: Ends a recurring plan at the end of its period.
change_subscription_plan: Moves a subscriber to another price plan.
apply_coupon: Gives a discount code to a subscription.
get_tax_rate: Says which sales tax or VAT applies in a country and for a product.
send_dunning_letter: Reminds a customer in writing to pay what is late.
revenue_report: Sums recognised revenue by month and product.`,
  calendar: `list_events: Lists appointments of a calendar between two dates.
create_event: Puts a meeting into a calendar with people and a place.
move_event: Shifts a meeting to another time.
cancel_event: Calls off a meeting and tells those invited.
find_free_slot: Finds a time when several people are all free.
invite_guest: Adds a person to a meeting.
set_working_hours: Sets the hours in which a person can be booked.
book_room: Reserves a conference room.
list_rooms: Lists conference rooms with seats and equipment.
set_out_of_office: Marks a person as absent between two dates.
list_holidays: Lists public holidays of a country.
convert_time_zone: Converts a clock time from one time zone to another.
create_reminder: Reminds a person of something at a given time.
list_reminders: Lists reminders that are still to come.
share_calendar: Lets another person see a calendar.
meeting_notes: Fetches the minutes of a meeting.`,
  mail: `search_mail: Searches messages in a mailbox by words, sender and date.
read_mail: Opens one e-mail with its attachments.
send_mail: Sends an e-mail to one or more recipients.
reply_mail: Answers an e-mail in its thread.
forward_mail: Passes an e-mail on to somebody else.
label_mail: Puts a label on messages.
archive_mail: Moves messages out of the inbox.
delete_mail: Deletes messages for good.
list_attachments: Lists files that came with a message.
draft_mail: Writes a draft that is not sent yet.
schedule_mail: Sends an e-mail later, at a set time.
create_mail_filter: Sorts incoming messages by a rule.
mark_spam: Reports a message as junk.
list_mailing_lists: Lists distribution lists and who is on them.
add_to_mailing_list: Puts an address on a distribution list.
translate_mail: Translates a message into another language.`,
  storage: `list_files: Lists files of a shared drive folder.
upload_file: Stores a file on the shared drive.
download_file: Fetches a file from the shared drive.
move_file: Moves or renames a file on the shared drive.
delete_file: Puts a file of the shared drive into the bin.
restore_file: Brings a deleted file back from the bin.
share_file: Gives a person access to a file.
revoke_file_access: Takes away a person's access to a file.
file_versions: Lists earlier versions of a document.
compare_versions: Shows what changed between two versions of a document.
search_files: Searches the contents of documents on the shared drive.
create_folder: Makes a folder on the shared drive.
storage_usage: Says how much space each user takes up.
convert_document: Turns a document into PDF, Word or plain text.
extract_text: Reads the text out of a scanned page or picture.
compress_files: Packs several files into one archive.
sign_document: Collects a signature on a contract.`,
  tickets: `create_ticket: Opens a support case for a customer's problem.
get_ticket: Shows a support case with its messages.
list_tickets: Lists support cases by status, priority and agent.
assign_ticket: Hands a support case to an agent or a team.
close_ticket: Marks a support case as solved.
reopen_ticket: Takes a solved support case up again.
escalate_ticket: Raises a support case to the next level of urgency.
comment_ticket: Adds an internal note to a support case.
answer_ticket: Sends a reply to the customer in a support case.
merge_tickets: Joins support cases about the same problem.
tag_ticket: Puts a keyword on a support case.
ticket_statistics: Counts cases, response times and satisfaction of a period.
list_macros: Lists canned replies for common questions.
search_knowledge_base: Searches help articles for an answer.
publish_article: Publishes a help article for customers.
sla_breaches: Lists cases that were not answered within the agreed time.
customer_satisfaction: Shows survey ratings given after cases were solved.`,
  engineering: `list_repositories: Lists source code repositories.
search_code: Searches source code for a text or symbol.
read_source: Shows a source file at a revision.
open_pull_request: Proposes a change of the code for review.
review_pull_request: Comments on a proposed change of the code.
merge_pull_request: Takes a proposed change into the main branch.
list_commits: Lists recent changes of a branch with their authors.
run_pipeline: Starts a build and its tests.
pipeline_status: Says whether a build passed, and shows its log.
deploy_service: Rolls a version of a service out to production.
rollback_service: Takes a service back to the version before.
list_incidents: Lists outages and who is on call.
page_on_call: Wakes the engineer who is on duty.
query_logs: Searches log lines of a service.
query_metrics: Reads a time series such as latency or error rate.
feature_flag: Switches a feature on or off for some users.
list_dependencies: Lists libraries of a project with known vulnerabilities.
create_issue: Files a bug or a wish in the issue tracker.`,
  people: `find_employee: Looks up a colleague by name, team or skill.
org_chart: Shows who reports to whom.
request_leave: Asks for days of vacation.
approve_leave: Decides on a request for vacation.
leave_balance: Says how many days of vacation a person has left.
submit_expense: Hands in a receipt for reimbursement.
list_expenses: Lists expense claims and their state.
payslip: Fetches a monthly salary statement.
post_job: Advertises an open position.
list_applicants: Lists candidates for a position.
schedule_interview: Arranges a conversation with a candidate.
onboard_employee: Prepares accounts and equipment for somebody who starts.
offboard_employee: Closes the accounts of somebody who leaves.
training_catalogue: Lists courses that staff can take.
enroll_training: Signs a person up for a course.
performance_review: Records feedback in an appraisal.
timesheet: Enters hours worked on a project.`,
  logistics: `create_shipment: Hands a parcel to a carrier and prints its label.
track_shipment: Says where a parcel is and when it arrives.
cancel_shipment: Stops a parcel before it is picked up.
estimate_shipping_cost: Prices a parcel by weight, size and destination.
list_carriers: Lists delivery companies with their services.
stock_level: Says how many pieces of an article are in the warehouse.
reserve_stock: Sets pieces of an article aside for an order.
transfer_stock: Moves goods from one warehouse to another.
reorder_article: Orders more of an article from its supplier.
receive_goods: Books goods that a supplier delivered.
create_return: Starts sending goods back, with a return label.
inspect_return: Records in what condition returned goods came.
customs_form: Fills in a customs declaration for goods sent abroad.
list_suppliers: Lists suppliers with delivery times and ratings.
plan_route: Orders the stops of a delivery van so that the way is short.
pick_list: Prints what has to be taken from the shelves for orders.`,
  analytics: `run_query: Runs a read-only SQL statement on the data warehouse.
list_tables: Lists tables of the data warehouse with their columns.
create_dashboard: Puts charts together on a page.
plot_chart: Draws a line, bar or pie chart from figures.
cohort_retention: Shows how many users of a month come back later.
funnel: Shows at which step visitors drop out before buying.
ab_test_result: Says whether a variant of an experiment did better, and how sure that is.
forecast_series: Predicts the next values of a time series.
detect_anomalies: Finds days on which a figure is out of the ordinary.
segment_users: Splits users into groups by what they do.
page_views: Counts visits to pages of the web site.
traffic_sources: Says from where visitors of the web site come.
export_report: Writes a table of results to a spreadsheet.
describe_dataset: Summarises columns: ranges, gaps, kinds.
correlate: Measures how two figures move together.
schedule_report: Sends a report every week or month.`,
  travel: `search_flights: Finds flights between two airports on a date, with prices.
book_flight: Buys a plane ticket.
cancel_flight: Gives a plane ticket back.
flight_status: Says whether a flight is late, and from which gate it leaves.
search_hotels: Finds rooms in a town for some nights.
book_hotel: Reserves a hotel room.
cancel_hotel: Cancels a hotel reservation.
rent_car: Reserves a rental car.
search_trains: Finds railway connections with changes and fares.
get_weather_forecast: Says what temperature and rain to expect at a place.
convert_currency: Converts an amount of money at today's exchange rate.
visa_requirements: Says which papers a traveller needs to enter a country.
travel_policy: Says what a business trip may cost.
list_trips: Lists trips that were booked.
local_transport: Finds a bus or underground connection within a city.
restaurant_search: Finds places to eat near an address.`,
  security: `list_users: Lists accounts with their roles and last sign-in.
reset_password: Sends a person a link to choose a new password.
lock_account: Blocks an account that seems to be misused.
unlock_account: Lets a blocked account sign in again.
grant_role: Gives an account more rights.
revoke_role: Takes rights away from an account.
rotate_api_key: Replaces an API key with a new one.
list_api_keys: Lists API keys and when each was last used.
audit_log: Shows who did what, and when.
scan_attachment: Checks a file for malware.
check_domain: Says whether a web address is known for phishing.
enforce_mfa: Demands a second factor when signing in.
list_sessions: Lists devices on which an account is signed in.
end_session: Signs an account out of a device.
access_review: Lists who has access to a system, for a yearly check.
data_deletion_request: Erases a person's data as privacy law demands.
report_incident: Reports a security incident to the team on duty.`,
};

export const MANY_TOOLS: Tool[] = Object.entries(TOOLS).flatMap(([group, lines]) =>
  lines.split('\n').map((line) => {
    const [name, does] = line.split(': ') as [string, string];
    return defineTool({
      name,
      version: '1.0.0',
      class: 'read',
      group,
      description: { does, returns: 'An object with what was found or done.' },
      input: z.object({ id: z.string().max(100).optional() }),
      run: (input) => ({ tool: name, input }),
    });
  }),
);

/** What somebody would say → the tool that is meant. */
export const QUERIES: [string, string][] = [
  ['Which of our customers have not paid on time?', 'list_overdue_invoices'],
  ['give the client her money back', 'issue_refund'],
  ['the parcel for Berlin, where is it right now?', 'track_shipment'],
  ['how many pieces of article 4711 do we still have in the warehouse', 'stock_level'],
  ['find an hour next week when Ana, Bo and Chris are free', 'find_free_slot'],
  ['book a conference room for ten people', 'book_room'],
  ['what time is 9 am in New York in Tokyo time?', 'convert_time_zone'],
  ['is Good Friday a public holiday in Spain', 'list_holidays'],
  ['search my mailbox for the message from the bank last March', 'search_mail'],
  ['send this email tomorrow morning instead of now', 'schedule_mail'],
  ['translate the Portuguese message into English', 'translate_mail'],
  ['bring back the file I deleted by accident', 'restore_file'],
  ['what changed between the last two versions of the contract', 'compare_versions'],
  ['read the text from this scanned receipt', 'extract_text'],
  ['get the contract signed', 'sign_document'],
  ['open a support case: the customer cannot log in', 'create_ticket'],
  ['which cases were not answered in the agreed time?', 'sla_breaches'],
  ['search the help articles about exporting data', 'search_knowledge_base'],
  ['did the build pass?', 'pipeline_status'],
  ['roll the checkout service back to the previous version', 'rollback_service'],
  ['wake up whoever is on duty, production is down', 'page_on_call'],
  ['look through the service logs for timeouts', 'query_logs'],
  ['which libraries have known vulnerabilities', 'list_dependencies'],
  ['how many vacation days do I have left?', 'leave_balance'],
  ['hand in my taxi receipt for reimbursement', 'submit_expense'],
  ['who does Maria report to', 'org_chart'],
  ['a new colleague starts on Monday, get accounts and a laptop ready', 'onboard_employee'],
  ['what does it cost to send a 3 kg parcel to Norway', 'estimate_shipping_cost'],
  ['customs declaration for goods to Switzerland', 'customs_form'],
  ['run a SQL query on the data warehouse', 'run_query'],
  ['did variant B of the experiment win?', 'ab_test_result'],
  ['at which step do visitors abandon buying', 'funnel'],
  ['draw a bar chart of these figures', 'plot_chart'],
  ['flights from Lisbon to Oslo on 3 June, what are the prices', 'search_flights'],
  ['will it rain in Madrid tomorrow', 'get_weather_forecast'],
  ['how much are 200 euros in dollars at the current exchange rate', 'convert_currency'],
  ['do I need a visa to enter Vietnam', 'visa_requirements'],
  ['somebody forgot their password', 'reset_password'],
  ['erase all data about this person, privacy law', 'data_deletion_request'],
  ['weighted value of the sales pipeline by quarter', 'forecast_pipeline'],
];
