import json
def test_first(client, endpoint):
    print(client.asks_for(1,"tools/list"))
    print(len(json.dumps(client.seen[-1])))
    print(client.gets(2,"read_console",{"max_entries":"7"}))
    print(client.gets(3,"cancel_job",{"job_id":"x"}))
    print(client.gets(4,"nope",{"job_id":"x"}))
    print(client.gets(5,"read_console",{"contains":"bug"}))
    print(client.gets(6,"read_console",{"contains":"half a character"}))
    print(client.gets(7,"read_console",{"contains":"progress"}, modern=True))
